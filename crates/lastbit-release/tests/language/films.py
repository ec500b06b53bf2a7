"""The integers of examples/films/plan.toml, computed from the file and from nothing of the program:
Python's standard library alone.

Usage: python3 films.py DIRECTORY KEY, with the 32 bytes of the query's key in hexadecimal; prints
one line for each statistic and group.
"""
import csv
import gzip
import hashlib
import io
import pathlib
import sys

MASK = (1 << 64) - 1


def rank(key, what, who, group, rest=""):
    """The SHA-256 of what docs/engines.md states."""
    sized = "".join(f"{len(part.encode())}:{part}" for part in (who, group))
    return hashlib.sha256(f"{key}|{what}|{sized}{rest}".encode()).hexdigest()


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
        state = (
            NO_NUMBER if stars is None else BELOW if stars < 0.5 else ABOVE if stars > 5 else SOUND
        )
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


def chosen(rows, group, words, most_rows, most_groups, key, text):
    """The rows that count, by group, and for each user how many there are and how many of them
    count."""
    users = {}
    for row in rows:
        users.setdefault(row["user"], {}).setdefault(group(row), []).append(row)
    kept, of_users = {}, []
    for user, groups in users.items():
        of_user = sorted(groups.items())
        if len(of_user) > most_groups:
            of_user.sort(key=lambda item: rank(key, 0, user, text(item[0])))
            of_user = of_user[:most_groups]
        count = 0
        for name, members in of_user:
            if len(members) > most_rows:
                members = sorted(members, key=words)
                ranked, copy = [], 0
                for at, row in enumerate(members):
                    copy = copy + 1 if at and words(members[at - 1]) == words(row) else 0
                    rest = "".join("|-" if word == MASK else f"|{word}" for word in words(row))
                    ranked.append((rank(key, 1, user, text(name), f"{rest}|{copy}"), at))
                members = [members[at] for _, at in sorted(ranked)[:most_rows]]
            count += len(members)
            kept.setdefault(name, []).extend(members)
        of_users.append((sum(map(len, groups.values())), count))
    return kept, of_users


def main():
    rows, key = read(pathlib.Path(sys.argv[1])), sys.argv[2]

    def stars(row):
        return (MASK if row["stars"] is None else row["stars"],)

    def nothing(_):
        return ()

    public = str

    by_film, of_users = chosen(
        rows,
        lambda row: row["film"],
        stars,
        1,
        10,
        key,
        lambda film: f"0,{len(film.encode())}:{film}",
    )
    films = sorted(by_film)
    for film in films:
        print(f"ratings by film|{film}|{len(by_film[film])}")
    for film in films:
        values = [row["stars"] for row in by_film[film] if row["stars"] is not None]
        print(
            f"mean stars by film|{film}|{len(values)} {sum(values)} "
            f"{sum(value * value for value in values)}"
        )
    for film in films:
        print(f"ten most rated films|{film}|{len(by_film[film])}")

    users, _ = chosen(rows, lambda row: row["genre"], nothing, 1, 1, key, public)
    print(f"users|0|{sum(map(len, users.values()))}")
    assert sum(map(len, users.values())) == len({row["user"] for row in rows})
    for genre in range(6):
        print(f"users by genre|{genre}|{len(users.get(genre, []))}")

    pairs, _ = chosen(
        rows, lambda row: 4 * row["genre"] + row["device"], nothing, 3, 4, key, public
    )
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
