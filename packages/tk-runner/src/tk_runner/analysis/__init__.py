"""What a model costs: parameters, operations and activations, for each of its modules."""

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

if TYPE_CHECKING:
    from .analyzers import ActivationAnalyzer as ActivationAnalyzer
    from .analyzers import FlopAnalyzer as FlopAnalyzer
    from .analyzers import activation_count as activation_count
    from .analyzers import flop_count as flop_count
    from .complexity import get_model_complexity_info as get_model_complexity_info
    from .parameters import parameter_count as parameter_count
    from .parameters import parameter_count_table as parameter_count_table

_MODULE_OF = {
    "ActivationAnalyzer": "analyzers",
    "FlopAnalyzer": "analyzers",
    "activation_count": "analyzers",
    "flop_count": "analyzers",
    "get_model_complexity_info": "complexity",
    "parameter_count": "parameters",
    "parameter_count_table": "parameters",
}

__all__ = sorted(_MODULE_OF)

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _MODULE_OF)
