from mmengine.evaluator import BaseMetric
from mmengine.registry import METRICS


@METRICS.register_module()
class ShapeAccuracy(BaseMetric):
    default_prefix = "shape"

    def process(self, data_batch, data_samples):
        for sample in data_samples:
            self.results.append(int(sample["pred_label"] == sample["gt_label"]))

    def compute_metrics(self, results):
        return dict(accuracy=sum(results) / len(results))
