import torch
import torch.nn as nn
import torch.nn.functional as F
from mmengine.model import BaseModel, BaseModule
from mmengine.registry import MODELS


@MODELS.register_module()
class SmallBackbone(BaseModule):
    def __init__(self, channels=8, init_cfg=None):
        super().__init__(init_cfg)
        self.conv = nn.Conv2d(1, channels, 3, stride=2, padding=1)
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        return F.relu(self.norm(self.conv(x))).flatten(1)


@MODELS.register_module()
class ShapeNet(BaseModel):
    def __init__(self, backbone, num_classes=2, data_preprocessor=None, init_cfg=None):
        super().__init__(data_preprocessor=data_preprocessor, init_cfg=init_cfg)
        self.backbone = MODELS.build(backbone)
        self.head = nn.Linear(backbone.get("channels", 8) * 36, num_classes)

    def forward(self, inputs, data_samples=None, mode="tensor"):
        if isinstance(inputs, (list, tuple)):
            inputs = torch.stack(list(inputs))
        scores = self.head(self.backbone(inputs))
        if mode == "tensor":
            return scores
        labels = torch.stack([sample.gt_label for sample in data_samples])
        if mode == "loss":
            return dict(
                loss_cls=F.cross_entropy(scores, labels),
                loss_norm=1e-3 * self.head.weight.square().sum(),
                acc=(scores.argmax(1) == labels).float().mean(),
            )
        for sample, score in zip(data_samples, scores):
            sample.pred_label = score.argmax()
        return data_samples
