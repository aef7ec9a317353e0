# SPDX-License-Identifier: MIT
"""naive_epochs.py: a model of the rows of an epoch.  Written from docs/shuffling.md alone, with
every order whole in memory; shares no code with src/."""
import math

NONE, UNIFORM, POOL, BLOCKS = range(4)
BY_DEFAULT, BY_ROWS, BY_BLOCKS = range(3)
AS_IS, DROP, PAD = range(3)
M32, M64 = (1 << 32) - 1, (1 << 64) - 1
STEP = 0x9E3779B97F4A7C15


# --- Epochs -------------------------------------------------------------------------------------


def mix(z):
    z &= M64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & M64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & M64
    return z ^ z >> 31


def draw(key, i):
    return mix(key + (i + 1) * STEP) >> 32


def derive(key, i):
    return mix(mix(key) + (i + 1) * STEP)


def blocks_of(block_rows):
    """The rows of a block if the options do not set them."""
    return 1024 if block_rows < 2 else block_rows


# --- Permutations -------------------------------------------------------------------------------


def move(v, k, size):
    t = (v ^ k) * 0x9E3779B1 & M32
    t = (t ^ t >> 15) * 0x85EBCA77 & M32
    return t * size >> 32


def permutation(n, key):
    if n <= 4096:
        numbers = list(range(n))
        for i in range(n):
            j = i + (draw(key, i) * (n - i) >> 32)
            numbers[i], numbers[j] = numbers[j], numbers[i]
        return numbers
    w = math.isqrt(n - 1) + 1
    h = -(-n // w)
    k = [draw(key, i) for i in range(6)]

    def once(i):
        x, y = i // h, i % h
        for r in (0, 2, 4):
            x = (x + move(y, k[r], w)) % w
            y = (y + move(x, k[r + 1], h)) % h
        return x * h + y

    numbers = []
    for i in range(n):
        i = once(i)
        while i >= n:
            i = once(i)
        numbers.append(i)
    return numbers


# --- ML.NET's pool ------------------------------------------------------------------------------


class Generator:
    def __init__(self, seed):
        def rotate(x, bits):
            return (x << bits | x >> 32 - bits) & M32

        def next_register(z):
            return (rotate(z ^ rotate(seed * 0xCC9E2D51 & M32, 15) * 0x1B873593 & M32, 13) * 5
                    + 0xE6546B64) & M32

        self.z = [seed]
        for _ in range(3):
            self.z.append(next_register(self.z[-1]))

    def next(self, k):
        def t(z, a, b, c, m):
            return ((z & m) << c & M32) ^ (((z << a & M32) ^ z) >> b)

        z = self.z
        self.z = [t(z[0], 13, 19, 12, ~1), t(z[1], 2, 25, 4, ~7), t(z[2], 3, 11, 17, ~15),
                  1664525 * z[3] + 1013904223 & M32]
        return (self.z[0] ^ self.z[1] ^ self.z[2] ^ self.z[3]) * k >> 32


def drawn_from_pool(rows, size, generator):
    if size == 1:
        return rows
    pool, coming, out = rows[:size], rows[size:], []
    while pool:
        k = generator.next(len(pool))
        out.append(pool[k])
        pool[k] = pool[0]
        pool = pool[1:] + coming[:1]
        coming = coming[1:]
    return out


# --- Options ------------------------------------------------------------------------------------


class Epoch:
    def __init__(self, n, block_rows, step):
        self.n, self.is_sequential = n, block_rows == 0
        self.shuffle, self.seed = step.get("shuffle", 0), step.get("seed", 0)
        self.epoch = step.get("epoch", 0)
        self.size = step.get("blockRows", 0) or blocks_of(block_rows)
        self.pool_rows = step.get("poolRows", 0)
        self.pool_blocks = step.get("poolQuarterBlocks", 16) / 4
        self.shard, self.shards = step.get("shard", 0), step.get("shards", 1)
        self.sized, self.start = step.get("shardSize", 0), step.get("start", 0)
        by = step.get("shardBy", 0)
        self.by_blocks = (by == BY_BLOCKS if by != BY_DEFAULT else self.shuffle in (POOL, BLOCKS))
        self.key = derive(self.seed, self.epoch)

    def is_refused(self):
        return (self.shard >= self.shards
                or self.is_sequential and self.shuffle in (UNIFORM, BLOCKS)
                or self.shuffle == UNIFORM and self.by_blocks
                or self.by_blocks and self.start % self.shards != 0)

    def blocks(self):
        """Blocks as they are, each the list of its rows."""
        return [list(range(i, min(i + self.size, self.n))) for i in range(0, self.n, self.size)]

    def pool_size(self):
        rows = self.pool_rows or min(max(math.ceil(self.pool_blocks * self.size), 1), 2**31 - 1)
        return max(min(rows, self.n), 1)

    def ordered_blocks(self, generator):
        """Blocks in the order of the epoch, their rows as they are delivered but for a pool."""
        blocks = self.blocks()
        if self.shuffle == BLOCKS:
            rows = [[block[i] for i in permutation(len(block), derive(self.key, b))]
                    for b, block in enumerate(blocks)]
            return [rows[b] for b in permutation(len(blocks), self.key)]
        wanted = self.pool_rows or math.ceil(self.pool_blocks * self.size)
        holds_all = max(wanted, 1) > 1 and wanted >= self.n
        several = self.by_blocks and self.shards > 1
        if self.shuffle == POOL and not self.is_sequential and not (holds_all and not several):
            for j in range(len(blocks)):
                k = j + generator.next(len(blocks) - j)
                blocks[j], blocks[k] = blocks[k], blocks[j]
        return blocks

    def generator(self):
        is_first = self.epoch == 0 and self.seed < 1 << 32
        return Generator(self.seed if is_first else self.key & M32)


def whole(e):
    """The epoch for one worker."""
    if e.shuffle == UNIFORM:
        return permutation(e.n, e.key)
    generator = e.generator()
    rows = [row for block in e.ordered_blocks(generator) for row in block]
    return drawn_from_pool(rows, e.pool_size(), generator) if e.shuffle == POOL else rows


def by_rows(e):
    rows, n, m = whole(e), e.n, e.shards
    shares = [rows[e.start + s::m] for s in range(m)]
    sizes = [len(share) for share in shares]
    own = shares[e.shard]
    if e.sized == DROP:
        return own[:min(sizes)]
    if e.sized == PAD and len(own) < max(sizes):
        return own + [rows[e.shard % n]]
    return own


def by_blocks(e):
    m = e.shards
    generator = e.generator()
    blocks = e.ordered_blocks(generator)

    def share(s):
        rows = [row for block in blocks[s::m] for row in block]
        if e.shuffle != POOL:
            return rows
        own = Generator(derive(e.key, s) & M32) if m > 1 else generator
        return drawn_from_pool(rows, e.pool_size(), own)

    sizes = [sum(map(len, blocks[s::m])) for s in range(m)]
    rows, done = share(e.shard), e.start // m
    if e.sized == DROP:
        rows = rows[:min(sizes)]
    if e.sized == PAD and max(sizes) > 0:
        rows = rows or share(e.shard % len(blocks))
        rows = [rows[i % len(rows)] for i in range(max(sizes))]
    return rows[done:]


def epoch_rows(n, block_rows, step):
    """The rows of an epoch that fall to one shard; None: the options are refused."""
    e = Epoch(n, block_rows, step)
    if e.is_refused():
        return None
    return by_blocks(e) if e.by_blocks else by_rows(e)
