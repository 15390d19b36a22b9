from mmengine.hooks import Hook
from mmengine.logging import print_log
from mmengine.registry import HOOKS


@HOOKS.register_module()
class CountSamplesHook(Hook):
    priority = "LOW"

    def before_train(self, runner):
        self.seen = 0

    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None):
        self.seen += len(data_batch["data_samples"])
        if self.every_n_train_iters(runner, 5):
            runner.message_hub.update_scalar("train/seen", self.seen)

    def after_train(self, runner):
        print_log(f"saw {self.seen} samples", logger="current")
