"""A ResNet-50 on images of CIFAR-10's shape: a whole training with validation in one page."""

import torch.nn.functional as F  # noqa: N812 - the name that users know
import vision as torchvision
from torch.optim import SGD
from torch.utils.data import DataLoader
from vision import transforms

from tk_evaluator import BaseMetric
from tk_runner import BaseModel, Runner


class MMResNet50(BaseModel):
    def __init__(self):
        super().__init__()
        self.resnet = torchvision.models.resnet50()

    def forward(self, imgs, labels, mode):
        x = self.resnet(imgs)
        if mode == "loss":
            return {"loss": F.cross_entropy(x, labels)}
        elif mode == "predict":
            return x, labels


class Accuracy(BaseMetric):
    def process(self, data_batch, data_samples):
        score, gt = data_samples
        correct = (score.argmax(dim=1) == gt).sum().cpu()
        self.results.append({"batch_size": len(gt), "correct": correct})

    def compute_metrics(self, results):
        total_correct = sum(item["correct"] for item in results)
        total_size = sum(item["batch_size"] for item in results)
        return dict(accuracy=100 * total_correct / total_size)


def cifar10(train, *augmentations):
    norm_cfg = dict(mean=[0.491, 0.482, 0.447], std=[0.202, 0.199, 0.201])
    steps = [*augmentations, transforms.ToTensor(), transforms.Normalize(**norm_cfg)]
    return torchvision.datasets.CIFAR10(
        "data/cifar10", train=train, download=True, transform=transforms.Compose(steps)
    )


if __name__ == "__main__":
    augmentations = transforms.RandomCrop(32, padding=4), transforms.RandomHorizontalFlip()
    runner = Runner(
        model=MMResNet50(),
        work_dir="./work_dir",
        train_dataloader=DataLoader(cifar10(True, *augmentations), batch_size=32, shuffle=True),
        optim_wrapper=dict(optimizer=dict(type=SGD, lr=0.001, momentum=0.9)),
        train_cfg=dict(by_epoch=True, max_epochs=5, val_interval=1),
        val_dataloader=DataLoader(cifar10(False), batch_size=32, shuffle=False),
        val_cfg=dict(),
        val_evaluator=dict(type=Accuracy),
    )
    runner.train()
