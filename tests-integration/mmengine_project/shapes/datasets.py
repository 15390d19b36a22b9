import numpy as np
import torch
from mmengine.dataset import BaseDataset
from mmengine.registry import DATASETS, TRANSFORMS
from mmengine.structures import BaseDataElement


@DATASETS.register_module()
class DrawnShapes(BaseDataset):
    METAINFO = dict(classes=("bar", "block"))

    def __init__(self, size=64, **kwargs):
        self.size = size
        super().__init__(**kwargs)

    def load_data_list(self):
        return [dict(sample_idx=i, gt_label=i % 2) for i in range(self.size)]


@TRANSFORMS.register_module()
class Flip:
    def __init__(self, every=3):
        self.every = every

    def __call__(self, results):
        rng = np.random.RandomState(results["sample_idx"])
        image = rng.randint(0, 80, (12, 12), dtype=np.uint8)
        if results["gt_label"]:
            image[3:9, 3:9] = 250
        else:
            image[:, 5:7] = 250
        if results["sample_idx"] % self.every == 0:
            image = image[:, ::-1]
        results["img"] = np.ascontiguousarray(image[..., None])
        return results


@TRANSFORMS.register_module()
class PackShape:
    def __call__(self, results):
        sample = BaseDataElement(metainfo=dict(sample_idx=results["sample_idx"]))
        sample.gt_label = torch.tensor(results["gt_label"])
        inputs = torch.from_numpy(results["img"]).permute(2, 0, 1)
        return dict(inputs=inputs, data_samples=sample)
