# SPDX-License-Identifier: MIT
"""A training loop in JAX: batches of one shape, so that the step is compiled once."""
import tempfile

import jax
import jax.numpy as jnp
import numpy as np

import libdataview as dv


def write_rows(path):
    """Points in a plane, in four quarters: two opposite ones are of class 1."""
    points = np.random.default_rng(1).standard_normal((4000, 2)).astype("f4")
    dv.write({"point": points, "quarter": (points[:, 0] * points[:, 1] > 0).astype("i8")}, path)


def scores(weights, points):
    return jax.nn.relu(points @ weights["in"] + weights["bias"]) @ weights["out"]


def loss_of(weights, points, quarters):
    return -jnp.mean(jax.nn.log_softmax(scores(weights, points))[jnp.arange(len(quarters)), quarters])


@jax.jit
def step(weights, points, quarters):
    loss, slopes = jax.value_and_grad(loss_of)(weights, points, quarters)
    return jax.tree.map(lambda weight, slope: weight - 0.5 * slope, weights, slopes), loss


def learn(path):
    train, test = dv.open(path).split(0.8, 0.2, shuffle=True, seed=1)
    first, second = jax.random.split(jax.random.key(1))
    weights = {"in": jax.random.normal(first, (2, 16)), "bias": jnp.zeros(16),
               "out": 0.1 * jax.random.normal(second, (16, 2))}
    feed = train.feed("point", "quarter", batch_rows=64, shuffle=True, seed=1, drop_last=True)
    for _ in range(10):
        for points, quarters in feed:
            weights, loss = step(weights, points, quarters)

    right = np.mean(scores(weights, test["point"].to_numpy()).argmax(1) == test["quarter"].to_numpy())
    print(f"{right:.1%} of {len(test)} rows are right")
    assert right > 0.95


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        write_rows(f"{folder}/rows.idv")
        learn(f"{folder}/rows.idv")
