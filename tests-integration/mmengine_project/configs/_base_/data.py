dataset_type = "DrawnShapes"
pipeline = [dict(type="Flip", every=3), dict(type="PackShape")]
train_dataloader = dict(
    batch_size=8,
    num_workers=0,
    sampler=dict(type="DefaultSampler", shuffle=False),
    dataset=dict(type=dataset_type, size=64, pipeline=pipeline),
)
val_dataloader = dict(
    batch_size=8,
    num_workers=0,
    sampler=dict(type="DefaultSampler", shuffle=False),
    dataset=dict(type=dataset_type, size=24, pipeline=pipeline),
)
val_evaluator = dict(type="ShapeAccuracy")
val_cfg = dict()
