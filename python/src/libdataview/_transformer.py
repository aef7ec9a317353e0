# SPDX-License-Identifier: MIT
"""A pipeline as a step of scikit-learn's pipelines.  scikit-learn is not imported, but by itself."""

from . import _errors, _trust
from ._pipeline import KEYS_NBYTES, TERMS_NBYTES, Fitted, Pipeline, table_of, unpickled
from ._table import Table


class Features(Table):
    """A table that scikit-learn takes for the matrix that `__array__` makes of it: `shape` is that of
    the matrix, in which a vector has a column for each slot."""

    __slots__ = ()

    @property
    def shape(self):
        return self.count(), len(_names_out(self))


def _features(table):
    return Features._of(table._recipe, table._view, table._sources)


_OUTPUTS = {"default": _features, "pandas": lambda table: table.to_pandas(),
            "polars": lambda table: table.to_polars()}


class Transformer:
    """A Pipeline, or its text, as a transformer of scikit-learn: make_pipeline(dv.pipe.term("A")
    .transformer(), model).

    `fit` and `transform` take a Table, or what dv.write takes (Arrow data, a pandas.DataFrame, arrays by
    name).  `transform` returns a Table, of which models make a matrix by `__array__`: let the steps
    leave numbers and vectors of one length alone.  The `shape` of this Table is that of the matrix.
    set_output(transform="pandas") asks for frames.  `fitted_` is the Fitted.

    >>> import libdataview as dv
    >>> t = dv.Transformer("normalize rooms").fit({"rooms": [1.0, 4.0]})
    >>> t.transform({"rooms": [2.0]}).to_pylist()
    [{'rooms': 0.5}]
    """

    def __init__(self, pipeline="", *, threads=0, terms_nbytes=TERMS_NBYTES):
        self.pipeline, self.threads, self.terms_nbytes = pipeline, threads, terms_nbytes

    def __repr__(self):
        return f"Transformer({str(self.pipeline)!r})"

    # --- Pickling --------------------------------------------------------------------------------

    def __getstate__(self):
        is_text = isinstance(self.pipeline, str)
        return {**self.__dict__, "_signature": _trust.sign("pipeline", self.pipeline, None) if is_text else None}

    def __setstate__(self, state):
        signature = state.pop("_signature", None)
        self.__dict__.update(state)
        if isinstance(self.pipeline, str) and not _trust.is_own(signature, "pipeline", self.pipeline, None):
            if self.pipeline.startswith("@"):
                raise _errors.ArgumentError("the pickle names a file of steps, and this program did not make it: "
                                            "make the Transformer of dv.Pipeline('@FILE')")
            self.pipeline = unpickled(self.pipeline, {}, None, None)

    # --- Parameters ------------------------------------------------------------------------------

    def get_params(self, deep=True):
        """The arguments of the constructor, by name."""
        return {"pipeline": self.pipeline, "threads": self.threads, "terms_nbytes": self.terms_nbytes}

    def set_params(self, **params):
        """Set arguments of the constructor."""
        for name, value in params.items():
            if name not in self.get_params():
                raise ValueError(f"there is no parameter {name!r}: {_errors.nearest(name, self.get_params())}")
            setattr(self, name, value)
        return self

    def set_output(self, *, transform=None):
        """What `transform` returns: "default" (a Table), "pandas" or "polars"."""
        if transform is not None and transform not in _OUTPUTS:
            raise ValueError(f"transform={transform!r}: expected one of {', '.join(map(repr, _OUTPUTS))}")
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}  # the name that clone() copies
        return self

    # --- Learning --------------------------------------------------------------------------------

    def fit(self, X, y=None):
        """Let the steps learn from the rows of X; y is not looked at."""
        self._learn(table_of(X), 0)
        return self

    def _learn(self, table, keys_nbytes):
        pipeline = Pipeline(self.pipeline) if isinstance(self.pipeline, str) else self.pipeline
        self.fitted_ = Fitted._of(pipeline, table, self.threads, self.terms_nbytes, None, keys_nbytes)
        self.feature_names_in_ = _array_of(table.columns)
        self.n_features_in_ = len(table.columns)
        self._names_out = _names_out(self.fitted_.apply(table))

    def transform(self, X):
        """The table that the fitted steps make of X."""
        self._check()
        return self._put(self.fitted_.apply(X))

    def fit_transform(self, X, y=None):
        """fit(X) and transform(X).  Keys that the rows of X get while `term` and `onehot` learn are kept,
        as `Pipeline.fit_apply` does, as long as `fitted_`: its memory must not change meanwhile."""
        table = table_of(X)
        self._learn(table, KEYS_NBYTES)
        return self.transform(table)

    def get_feature_names_out(self, input_features=None):
        """The names of the columns of the matrix of transform(X): "Column", "Column.slot", "Column[3]"."""
        self._check()
        return _array_of(self._names_out)

    def _put(self, table):
        config = getattr(self, "_sklearn_output_config", {})
        return _OUTPUTS[config.get("transform", "default")](table)

    # --- What scikit-learn asks ------------------------------------------------------------------

    def _check(self):
        if not hasattr(self, "fitted_"):
            raise _not_fitted()(f"{self!r} has learned nothing yet: call fit first")

    def __sklearn_is_fitted__(self):
        return hasattr(self, "fitted_")

    def __sklearn_tags__(self):
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=False),
                    transformer_tags=TransformerTags(),
                    input_tags=InputTags(string=True, categorical=True, allow_nan=True))


def _not_fitted():
    import sys

    exceptions = sys.modules.get("sklearn.exceptions")  # who catches NotFittedError has imported it
    return exceptions.NotFittedError if exceptions else AttributeError


def _array_of(names):
    import numpy as np

    return np.asarray(names, dtype=object)


def _names_out(table):
    names = []
    for field in table.schema:
        size = field.type.size if field.type.is_vector else 0
        slots = field.metadata.get("SlotNames") if field.type.is_vector else None
        if not field.type.is_vector:
            names.append(field.name)
        elif slots and len(slots) == size:
            names += [f"{field.name}.{slot}" if slot else f"{field.name}[{i}]" for i, slot in enumerate(slots)]
        else:
            names += [f"{field.name}[{i}]" for i in range(size)]
    return names
