_base_ = ["_base_/data.py", "_base_/runtime.py"]

model = dict(
    type="ShapeNet",
    data_preprocessor=dict(type="ImgDataPreprocessor", mean=[127.5], std=[127.5]),
    backbone=dict(
        type="SmallBackbone",
        channels=8,
        init_cfg=dict(type="Kaiming", layer="Conv2d"),
    ),
)
train_cfg = dict(type="IterBasedTrainLoop", max_iters=20, val_interval=10)
optim_wrapper = dict(
    type="OptimWrapper",
    optimizer=dict(type="SGD", lr=0.05, momentum=0.9, weight_decay=1e-4),
    clip_grad=dict(max_norm=5),
    paramwise_cfg=dict(norm_decay_mult=0.0, custom_keys={"head": dict(lr_mult=2.0)}),
)
param_scheduler = [
    dict(type="LinearLR", start_factor=0.1, by_epoch=False, begin=0, end=5),
    dict(type="MultiStepLR", by_epoch=False, milestones=[12, 16], gamma=0.3),
]
custom_hooks = [dict(type="CountSamplesHook")]
