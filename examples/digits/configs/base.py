# What every training on the digits shares: data, optimizer, records.
custom_imports = dict(imports=["digits"])
randomness = dict(seed=0)

batch_size = 50
train_dataloader = dict(
    dataset=dict(type="Digits", train=True, augment=True),
    batch_size=batch_size,
    num_workers=1,
    persistent_workers=True,
    collate_fn=dict(type="default_collate"),
)
val_dataloader = dict(
    dataset=dict(type="Digits", train=False),
    batch_size=250,
    collate_fn=dict(type="default_collate"),
)
val_evaluator = dict(type="Accuracy")
test_dataloader = val_dataloader
test_evaluator = val_evaluator

optim_wrapper = dict(
    optimizer=dict(type="AdamW", lr=0.005, weight_decay=0.05),
    clip_grad=dict(max_norm=5.0),
)
custom_hooks = [dict(type="EMAHook", momentum=0.01)]
default_hooks = dict(
    logger=dict(type="LoggerHook", interval=40),
    checkpoint=dict(type="CheckpointHook", interval=4, max_keep_ckpts=2, save_best="accuracy/top1"),
)
visualizer = dict(
    type="Visualizer",
    vis_backends=[dict(type="LocalVisBackend"), dict(type="TensorboardVisBackend")],
)
