# Twelve epochs with one cycle of the learning rate; about half a minute on two cores.
_base_ = "base.py"

model = dict(type="DigitNet", width=16, dropout=0.1)
max_epochs = 12
train_cfg = dict(by_epoch=True, max_epochs=max_epochs, val_interval=1)
param_scheduler = dict(
    type="OneCycleLR",
    eta_max=0.005,
    total_steps=max_epochs * 4000 // {{_base_.batch_size}},
    by_epoch=False,
)
