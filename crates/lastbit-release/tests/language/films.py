"""The integers of examples/films/plan.toml, computed from the file and from nothing of the program: Python's standard library, and the hashes that
choose ratings written from their specifications (SipHash-2-4, and BLAKE3 of short texts).

Usage: python3 films.py DIRECTORY KEY, with the 32 bytes of the query's key in hexadecimal; prints one line for each statistic and group.
"""
import csv
import gzip
import io
import pathlib
import sys

MASK = (1 << 64) - 1


def siphash(key, words):
    def rotate(x, by):
        return ((x << by) | (x >> (64 - by))) & MASK

    def rounds(v, count):
        for _ in range(count):
            v[0] = (v[0] + v[1]) & MASK
            v[1] = rotate(v[1], 13) ^ v[0]
            v[0] = rotate(v[0], 32)
            v[2] = (v[2] + v[3]) & MASK
            v[3] = rotate(v[3], 16) ^ v[2]
            v[0] = (v[0] + v[3]) & MASK
            v[3] = rotate(v[3], 21) ^ v[0]
            v[2] = (v[2] + v[1]) & MASK
            v[1] = rotate(v[1], 17) ^ v[2]
            v[2] = rotate(v[2], 32)

    k0, k1 = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:16], "little")
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]
    for word in [*words, (8 * len(words) & 0xFF) << 56]:
        v[3] ^= word
        rounds(v, 2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(v, 4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def blake3_keyed(key, data):
    """The first 8 bytes of the keyed BLAKE3 of at most 64 bytes, which are one block of one chunk."""
    assert len(data) <= 64
    low = (1 << 32) - 1
    block = data + bytes(64 - len(data))
    message = [int.from_bytes(block[i : i + 4], "little") for i in range(0, 64, 4)]
    start = [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A]
    # The flags: start and end of a chunk, the root, and a keyed hash.
    v = [int.from_bytes(key[i : i + 4], "little") for i in range(0, 32, 4)] + start + [0, 0, len(data), 1 | 2 | 8 | 16]

    def rotate(x, by):
        return ((x >> by) | (x << (32 - by))) & low

    def mix(a, b, c, d, x, y):
        for add, left, right in ((x, 16, 12), (y, 8, 7)):
            v[a] = (v[a] + v[b] + add) & low
            v[d] = rotate(v[d] ^ v[a], left)
            v[c] = (v[c] + v[d]) & low
            v[b] = rotate(v[b] ^ v[c], right)

    for _ in range(7):
        for i in range(4):
            mix(i, 4 + i, 8 + i, 12 + i, message[2 * i], message[2 * i + 1])
        for i in range(4):
            mix(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, message[8 + 2 * i], message[9 + 2 * i])
        message = [message[p] for p in (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)]
    return (v[0] ^ v[8]) | (v[1] ^ v[9]) << 32


GENRES = ["drama", "comedy", "thriller", "documentary", "children", "another"]
DEVICES = ["phone", "tv", "computer", "not stated"]
BELOW, ABOVE, NO_NUMBER, SOUND = range(4)


def read(directory):
    packed = gzip.open(directory / "ratings.csv.gz")
    rows = []
    for cells in csv.DictReader(io.TextIOWrapper(packed, "utf-8", newline="")):
        try:
            stars = float(cells["stars"])
        except ValueError:
            stars = None
        state = NO_NUMBER if stars is None else BELOW if stars < 0.5 else ABOVE if stars > 5 else SOUND
        rows.append(
            {
                "user": cells["user"],
                "film": cells["film"],
                "genre": GENRES.index(cells["genre"]) if cells["genre"] in GENRES else 5,
                "device": DEVICES.index(cells["device"]) if cells["device"] in DEVICES else 3,
                # Half stars above the lower bound, which is one of them.
                "stars": None if stars is None else min(max(int(2 * stars), 1), 10) - 1,
                "state": state,
            }
        )
    return rows


def chosen(rows, group, words, most_rows, most_groups, key, hashes):
    """The rows that count, by group, and for each user how many there are and how many of them count."""
    users = {}
    for row in rows:
        users.setdefault(row["user"], {}).setdefault(group(row), []).append(row)
    kept, of_users = {}, []
    for user, groups in users.items():
        data = user.encode()
        padded = int.from_bytes(data + bytes(15 - len(data)) + bytes([len(data)]), "little")
        who = [padded & MASK, padded >> 64]
        of_user = sorted(groups.items())
        if len(of_user) > most_groups:
            of_user.sort(key=lambda item: siphash(key, [0, *who, *hashes(item[0])]))
            of_user = of_user[:most_groups]
        count = 0
        for name, members in of_user:
            if len(members) > most_rows:
                members = sorted(members, key=words)
                ranked, copy = [], 0
                for at, row in enumerate(members):
                    copy = copy + 1 if at and words(members[at - 1]) == words(row) else 0
                    ranked.append((siphash(key, [1, *who, *hashes(name), *words(row), copy]), at))
                members = [members[at] for _, at in sorted(ranked)[:most_rows]]
            count += len(members)
            kept.setdefault(name, []).extend(members)
        of_users.append((sum(map(len, groups.values())), count))
    return kept, of_users


def main():
    rows, key = read(pathlib.Path(sys.argv[1])), bytes.fromhex(sys.argv[2])

    def stars(row):
        return (MASK if row["stars"] is None else row["stars"],)

    def nothing(_):
        return ()

    def public(group):
        return group, 0

    by_film, of_users = chosen(rows, lambda row: row["film"], stars, 1, 10, key, lambda film: (0, blake3_keyed(key, film.encode())))
    films = sorted(by_film)
    for film in films:
        print(f"ratings by film|{film}|{len(by_film[film])}")
    for film in films:
        values = [row["stars"] for row in by_film[film] if row["stars"] is not None]
        print(f"mean stars by film|{film}|{len(values)} {sum(values)} {sum(value * value for value in values)}")
    for film in films:
        print(f"ten most rated films|{film}|{len(by_film[film])}")

    users, _ = chosen(rows, lambda row: row["genre"], nothing, 1, 1, key, public)
    print(f"users|0|{sum(map(len, users.values()))}")
    assert sum(map(len, users.values())) == len({row["user"] for row in rows})
    for genre in range(6):
        print(f"users by genre|{genre}|{len(users.get(genre, []))}")

    pairs, _ = chosen(rows, lambda row: 4 * row["genre"] + row["device"], nothing, 3, 4, key, public)
    counts = [len(pairs.get(pair, [])) for pair in range(24)]
    for pair, count in enumerate(counts):
        print(f"ratings by genre and device|{pair}|{count}")
    for genre in range(6):
        print(f"ratings by genre|{genre}|{sum(counts[4 * genre:4 * genre + 4])}")
    for device in range(4):
        print(f"ratings by device|{device}|{sum(counts[device::4])}")
    print(f"ratings|0|{sum(counts)}")

    cut = sum(kept < all_rows for all_rows, kept in of_users)
    shares = sum((all_rows - kept << 30) // all_rows for all_rows, kept in of_users)
    print(f"users whose ratings are left out|0|{len(of_users)} {cut} {shares}")
    some, _ = chosen(rows, lambda row: 0, lambda row: (row["state"],), 3, 1, key, public)
    states = [row["state"] for row in some[0]]
    print(f"stars that are no stars|0|{' '.join(str(states.count(state)) for state in range(4))}")


main()
