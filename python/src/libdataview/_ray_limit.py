# SPDX-License-Identifier: MIT
"""Limits of rows, for sources of ours.  Ray itself passes a limit on to a source only through a map."""

import dataclasses

from ray.data._internal.logical.interfaces import LogicalPlan, Rule
from ray.data._internal.logical.operators import Limit, Read
from ray.data._internal.logical.optimizers import get_logical_ruleset
from ray.data._internal.logical.rules import LimitPushdownRule


def tell_reads_of(source):
    """From now on, tell each read of such a source the most rows that are taken."""

    def told(op):
        read = op.input_dependencies[0] if isinstance(op, Limit) else None
        if not isinstance(read, Read) or not isinstance(read.datasource, source):
            return op
        if read.per_block_limit is not None and read.per_block_limit <= op.limit:
            return op
        return Limit(op.limit, input_dependencies=[dataclasses.replace(read, per_block_limit=op.limit)])

    class LimitReads(Rule):
        @classmethod
        def dependencies(cls):
            return [LimitPushdownRule]

        def apply(self, plan):
            return LogicalPlan(plan.dag._apply_transform(told), plan.context)

    get_logical_ruleset().add(LimitReads)
