"""From what a parameter is to the options it gets; pure.

Each option is decided by itself: the rate by the most specific custom key that
names a rate, else by the rule for its kind (bias, deformable offset); the decay
by the most specific custom key that names a decay, else by the rule for its
kind (norm, bias, depth-wise, flat, in this order). A custom key that sets one
leaves the other alone. Layer-wise decay multiplies the rate that results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from tk_registry import at_least, did_you_mean, more_than

from ..errors import InvalidSettingError, InvalidTypeError
from .paths import Match, find_run, means


@dataclass(frozen=True)
class ParamFacts:
    """What the rules look at.

    Attributes:
        path: dotted name in the model.
        ndim: dimensions.
        is_bias: the parameter itself is called ``bias``.
        in_norm: it belongs to a normalization layer.
        in_depthwise: it belongs to a depth-wise ``Conv2d``.
        in_deformable: it belongs to a child of a deformable convolution.
        is_offset: it belongs to the convolution that computes the offsets.
    """

    path: str
    ndim: int
    is_bias: bool = False
    in_norm: bool = False
    in_depthwise: bool = False
    in_deformable: bool = False
    is_offset: bool = False


@dataclass(frozen=True)
class ParamOptions:
    """What a parameter gets; None where no rule speaks."""

    lr_mult: float | None = None
    decay_mult: float | None = None
    others: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class LayerDecay:
    """A rate that shrinks from the last layer to the first: ``rate ** (layers above)``.

    Source: Clark et al. 2020 (ELECTRA), used for vision by Bao et al. 2022 (BEiT).

    Attributes:
        rate: factor from one layer to the one below it.
        layers: patterns from input to output. One whose segment is ``*`` is a
            layer for each thing the star means, numbers in their order. What
            no pattern means keeps its rate.
    """

    rate: float
    layers: Sequence[str]

    def multipliers(self, paths: Sequence[str]) -> dict[str, float]:
        """The factor of each path that belongs to a layer."""
        layer_of = {path: layer for path in paths if (layer := self._layer(path)) is not None}
        order = {layer: index for index, layer in enumerate(sorted(set(layer_of.values())))}
        top = len(order) - 1
        return {path: self.rate ** (top - order[layer]) for path, layer in layer_of.items()}

    def _layer(self, path: str) -> tuple[int, tuple[tuple[bool, int, str], ...]] | None:
        for index, pattern in enumerate(self.layers):
            run = find_run(pattern, path)
            if run is not None:
                stars = zip(pattern.strip(".").split("."), run, strict=True)
                return index, tuple(_sortable(given) for wanted, given in stars if wanted == "*")
        return None


@dataclass(frozen=True)
class ParamRules:
    """The settings of ``paramwise_cfg``, checked.

    Attributes:
        custom_keys: pattern to options: ``lr_mult``, ``decay_mult`` and entries
            of a parameter group.
        bias_lr_mult: rate of biases outside norm and deformable layers.
        bias_decay_mult: decay of biases outside norm and deformable layers.
        norm_decay_mult: decay of normalization layers.
        dwconv_decay_mult: decay of depth-wise convolutions.
        flat_decay_mult: decay of other parameters of one dimension.
        dcn_offset_lr_mult: rate of the offsets of deformable convolutions.
        bypass_duplicate: has no effect: shared parameters are always taken once.
        match: ``segments``, or ``substring`` as in MMEngine.
        freeze: patterns of what does not train, see ``Freezing``.
        layer_decay: ``dict(rate=..., layers=[...])``, see ``LayerDecay``.
        extra_options: names that custom keys may set though the optimizer does
            not list them among its defaults.
    """

    custom_keys: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    bias_lr_mult: float | None = None
    bias_decay_mult: float | None = None
    norm_decay_mult: float | None = None
    dwconv_decay_mult: float | None = None
    flat_decay_mult: float | None = None
    dcn_offset_lr_mult: float | None = None
    bypass_duplicate: bool = False
    match: Match = "segments"
    freeze: Sequence[str] | Mapping[str, int | None] = ()
    layer_decay: LayerDecay | None = None
    extra_options: Sequence[str] = ()

    @classmethod
    def from_settings(
        cls, settings: Mapping[str, Any], *, has_further_keys: bool = False
    ) -> ParamRules:
        """Read ``paramwise_cfg``; an unknown key is an error with the nearest one.

        Args:
            settings: ``paramwise_cfg``.
            has_further_keys: whether keys that are not known here are read elsewhere.
        """
        if not isinstance(settings, Mapping):
            raise InvalidTypeError(
                f"paramwise_cfg must be a dict, got {type(settings).__name__}: {settings!r}"
            )
        known = [one.name for one in fields(cls)]
        for key in settings:
            if key not in known and not has_further_keys:
                raise InvalidSettingError(
                    f"paramwise_cfg has no key {key!r}; {did_you_mean(key, known)}"
                )
        custom = settings.get("custom_keys") or {}
        if not isinstance(custom, Mapping):
            raise InvalidTypeError(
                f"custom_keys must be a dict of pattern to options, got {type(custom).__name__}"
            )
        decay = settings.get("layer_decay")
        return cls(**{
            **{key: value for key, value in settings.items() if key in known},
            "custom_keys": custom,
            "freeze": settings.get("freeze") or (),
            "layer_decay": _layer_decay(decay) if isinstance(decay, Mapping) else decay,
        })  # fmt: skip

    def __post_init__(self) -> None:
        if self.match not in ("segments", "substring"):
            raise InvalidSettingError(f"match={self.match!r}: give 'segments' or 'substring'")
        for one in fields(self):
            if one.name.endswith("_mult"):
                _require_factor(one.name, getattr(self, one.name))
        for key, options in self.custom_keys.items():
            if not isinstance(options, Mapping):
                raise InvalidTypeError(
                    f"custom_keys[{key!r}] must be a dict of options, got {options!r}; "
                    f"for a rate write dict(lr_mult={options!r})"
                )
            for name in ("lr_mult", "decay_mult"):
                _require_factor(f"custom_keys[{key!r}].{name}", options.get(name))

    @property
    def multiply_decay(self) -> list[str]:
        """The settings that multiply the weight decay, by name."""
        own = [one.name for one in fields(self) if one.name.endswith("decay_mult")]
        keys = [f"custom_keys[{key!r}]" for key, one in self.custom_keys.items()
                if "decay_mult" in one]  # fmt: skip
        return [name for name in own if getattr(self, name) is not None] + keys

    def options(self, facts: ParamFacts, layer_mult: float | None = None) -> ParamOptions:
        """What the rules give a parameter.

        Args:
            facts: what it is.
            layer_mult: its factor of the layer-wise decay.
        """
        custom = self._custom(facts.path)
        lr_mult = custom.pop("lr_mult", None)
        decay_mult = custom.pop("decay_mult", None)
        lr_mult = self._rate_of_kind(facts) if lr_mult is None else lr_mult
        decay_mult = self._decay_of_kind(facts) if decay_mult is None else decay_mult
        if layer_mult is not None and layer_mult != 1.0:
            lr_mult = layer_mult * (1.0 if lr_mult is None else lr_mult)
        return ParamOptions(lr_mult, decay_mult, custom)

    def _custom(self, path: str) -> dict[str, Any]:
        """The options of all keys that mean the path; the longest key decides each."""
        found: dict[str, Any] = {}
        for key in sorted(self.custom_keys, key=lambda one: (-len(one), one)):
            if means(key, path, self.match):
                found = {**self.custom_keys[key], **found}
        return found

    def _rate_of_kind(self, facts: ParamFacts) -> float | None:
        if facts.is_offset:
            return self.dcn_offset_lr_mult
        if facts.is_bias and not facts.in_norm and not facts.in_deformable:
            return self.bias_lr_mult
        return None

    def _decay_of_kind(self, facts: ParamFacts) -> float | None:
        if facts.in_norm and self.norm_decay_mult is not None:
            return self.norm_decay_mult
        plain = not facts.in_deformable
        if facts.is_bias and not facts.in_norm and plain and self.bias_decay_mult is not None:
            return self.bias_decay_mult
        if facts.in_depthwise and self.dwconv_decay_mult is not None:
            return self.dwconv_decay_mult
        return self.flat_decay_mult if facts.ndim == 1 and plain else None


def _sortable(segment: str) -> tuple[bool, int, str]:
    """Numbers by their value and before names."""
    return (False, int(segment), "") if segment.isdigit() else (True, 0, segment)


def _require_factor(name: str, value: Any) -> None:
    if value is not None and not at_least(0).fits(value):
        raise InvalidSettingError(f"{name} must be a number of 0 or more, got {value!r}")


def _layer_decay(settings: Mapping[str, Any]) -> LayerDecay:
    if set(settings) != {"rate", "layers"}:
        raise InvalidSettingError(
            f"layer_decay needs exactly 'rate' and 'layers', got {sorted(map(str, settings))}"
        )
    if not more_than(0).fits(settings["rate"]):
        raise InvalidSettingError(
            f"layer_decay rate must be a number above 0, got {settings['rate']!r}"
        )
    return LayerDecay(**settings)
