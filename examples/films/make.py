#!/usr/bin/env python3
"""Makes ratings.csv.gz: invented ratings of films by 4,000 invented users, some of whom rate
hundreds.

Nobody in it exists, and no film. One seed, and only random(), whose stream Python keeps from
version to version: the same rows every time. Usage: python3 make.py [FILE], by default
ratings.csv.gz beside this script.
"""
import gzip
import pathlib
import random
import sys

USERS = 4_000
FIRST = (
    "The Last",
    "A Quiet",
    "Northern",
    "The Glass",
    "Paper",
    "Seven",
    "The Second",
    "Midnight",
    "Salt",
    "Distant",
)
SECOND = (
    "Harbour",
    "Winter",
    "Garden",
    "Machine",
    "Letter",
    "Orchard",
    "Signal",
    "Mountain",
    "Summer",
    "Tide",
)
GENRES = ("drama", "comedy", "thriller", "documentary", "children")
# A title is one of these and the other; the more often it is seen, the earlier it stands.
FILMS = [f"{first} {second}" for second in SECOND for first in FIRST]


def rows(generator):
    def below(n):
        return int(generator.random() * n)

    for user in range(1, USERS + 1):
        # Most rate a few films, one in fifty rates on end.
        many = 1 + below(5)
        if generator.random() < 0.25:
            many += below(15)
        if generator.random() < 0.02:
            many += 40 + below(160)
        taste = below(5) - 2
        device = ("phone", "tv", "computer")[below(3)]
        for _ in range(many):
            # About one over the rank: the first films are seen by many, the last by few.
            film = int(len(FILMS) ** generator.random()) - 1
            genre = GENRES[(film * 7) % 5] if film % 11 else ("western", "")[film % 2]
            half = 5 + taste + film % 3 + below(3) - 1
            stars = f"{min(max(half, 1), 10) / 2:.1f}"
            if generator.random() < 0.01:
                stars = ("", "n/a", "50")[below(3)]
            shown = device if generator.random() < 0.95 else ("", "TV ", "fridge")[below(3)]
            yield f"u{user:05},{FILMS[film]},{genre},{shown},{stars}"


def main():
    path = (
        pathlib.Path(sys.argv[1])
        if len(sys.argv) > 1
        else pathlib.Path(__file__).parent / "ratings.csv.gz"
    )
    lines = ["user,film,genre,device,stars", *rows(random.Random(12))]
    # Without a time and a name in it, the file is the same every time.
    with open(path, "wb") as file, gzip.GzipFile("", "wb", mtime=0, fileobj=file) as packed:
        packed.write(("\n".join(lines) + "\n").encode())


main()
