default_scope = "mmengine"
custom_imports = dict(imports=["shapes"], allow_failed_imports=False)
default_hooks = dict(
    timer=dict(type="IterTimerHook"),
    logger=dict(type="LoggerHook", interval=1),
    param_scheduler=dict(type="ParamSchedulerHook"),
    checkpoint=dict(type="CheckpointHook", by_epoch=False, interval=10),
    sampler_seed=dict(type="DistSamplerSeedHook"),
)
env_cfg = dict(cudnn_benchmark=False, dist_cfg=dict(backend="gloo"))
randomness = dict(seed=3)
log_level = "INFO"
