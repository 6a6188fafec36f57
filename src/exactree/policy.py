"""Policy trees: which action to take for a row, learnt from a reward for every action."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from exactree import inputs
from exactree.costs import read_costs
from exactree.estimators import OptimalTree
from exactree.interrupts import deferred
from exactree.parameters import PolicyParameters, completed, takes
from exactree.refusing import refuse_no_table


@takes(PolicyParameters, default={"max_depth": 2})
class OptimalPolicyTree(OptimalTree):
    """A tree of actions with the largest sum of rewards among all trees within the budgets, proved.

    Rewards are a table: a row for each row of X, a column for each action. Where only the reward of
    the action taken was observed, scores that are right on average do: the doubly robust scores of
    EconML or DoubleML, or inverse propensity scores. `solve(X, costs=-rewards)` is the same search.

    Attributes
    ----------
    tree_ : Leaf or Node
        The tree; the weights of a leaf are those of its rows by their best action.
    actions_ : array
        What the columns of the rewards stand for: their names in a data frame, else their numbers.
    policy_value_ : float
        The mean reward of the tree's actions on the training rows, by weight.
    objective_, lower_bound_, gap_ : int or float
        Minus the sum of rewards, penalty included; what no tree within the budgets can be below;
        the difference, 0 if the tree is optimal.
    status_ : str
        "optimal", or what stopped the search.
    result_ : Result
        All of this with counters and the history of the search.
    n_features_in_, feature_names_in_
        Number of columns, and their names where X had any.

    Examples
    --------
    >>> rewards = [[1.0, 0.0], [2.0, 0.5], [0.0, 3.0]]
    >>> policy = OptimalPolicyTree(max_depth=1).fit([[1.0], [2.0], [4.0]], rewards)
    >>> policy.predict([[1.5], [5.0]]).tolist(), policy.policy_value_
    ([0, 1], 2.0)
    """

    def __init__(self, **parameters: Unpack[PolicyParameters]) -> None:
        self._set(completed(OptimalPolicyTree.__init__, parameters))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the optimal tree for the rows of X with rewards y, a column for each action.

        Interrupted by Ctrl-C, the estimator keeps the best tree so far before the
        `KeyboardInterrupt` goes on; stopped by a limit, it warns.
        """
        refuse_no_table(X)
        validate_data(self, X, skip_check_array=True)
        table, self.actions_ = read_costs(y, None, "rewards")
        with deferred() as noted:
            found = self._solve(X, None, costs=-table, sample_weight=sample_weight)
            classes = tuple(self.actions_.tolist())
            self._keep(replace(found, classes=classes))
            self.policy_value_ = self.policy_value(X, y, sample_weight)
        noted.tell()
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the action for every row of X."""
        numbers = self._predicted(X)
        return np.asarray(self.actions_[numbers])

    def policy_value(self, X: Any, rewards: Any, sample_weight: Any = None) -> float:
        """Give the mean of these rewards for the actions that the tree takes, by weight."""
        numbers = self._predicted(X)
        table, actions = read_costs(rewards, len(numbers), "rewards")
        if len(actions) != len(self.actions_):
            raise ValueError(
                f"rewards have {len(actions)} columns, the tree was fitted with "
                f"{len(self.actions_)} actions: give a column for each, in the same order"
            )
        weights = inputs.read_weights(sample_weight, len(numbers))
        return float(np.average(table[np.arange(len(numbers)), numbers], weights=weights))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Give the policy value for rewards y, as scikit-learn's model selection asks for it."""
        return self.policy_value(X, y, sample_weight)

    def __sklearn_tags__(self) -> Any:
        """Say that the target has several columns."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags
