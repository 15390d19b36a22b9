# Two epochs of a narrow network: to see that everything works.
_base_ = "digits.py"

model = dict(width=8)
max_epochs = 2
train_cfg = dict(max_epochs=2)
param_scheduler = dict(total_steps=160)
custom_hooks = [dict(type="EMAHook", momentum=0.05)]  # 160 steps are few for the average of 0.01
