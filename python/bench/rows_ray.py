# SPDX-License-Identifier: MIT
"""The sum of a column over all rows on a local cluster of Ray: dv.ray.read beside ray.data.read_parquet."""

import numpy as np

import libdataview as dv
import sides

FILES, ROWS, COLUMNS = 4, (20_000 if sides.IS_QUICK else 500_000), 8


def main():
    if not sides.peers("ray", "ray.data", "pyarrow"):
        return
    import pyarrow as pa
    import pyarrow.parquet as pq
    import ray
    from libdataview import ray as dv_ray

    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    ray.data.DataContext.get_current().enable_progress_bars = False
    random = np.random.default_rng(3)
    with sides.folder() as folder:
        total = 0.0
        for k in range(FILES):
            arrays = {f"c{i}": random.integers(0, 99, ROWS).astype("f4") for i in range(COLUMNS)}
            total += float(sum(values.sum(dtype="f8") for values in arrays.values()))
            dv.write(dv.from_numpy(arrays), f"{folder}/{k}.idv")
            pq.write_table(pa.table(arrays), f"{folder}/{k}.parquet")

        def sums(data):
            def add(batch):
                return {"sum": np.array([sum(float(values.sum(dtype="f8")) for values in batch.values())])}

            return data.map_batches(add, batch_size=None).sum("sum")

        def ours():
            return sums(dv_ray.read(f"{folder}/*.idv"))

        def parquet():
            return sums(ray.data.read_parquet([f"{folder}/{k}.parquet" for k in range(FILES)]))

        sides.require("ray", ours() == parquet() == total, "the sum")
        times = sides.rounds(ours, parquet, n=3)
        sides.report("ray, sum of 8 columns of 4 files", times[0], sides.version("ray") + " read_parquet", times[1], 1, 2)
    ray.shutdown()


if __name__ == "__main__":
    main()
