"""Nouns of captions: persons, scenes, and what many things are more generally called.

The lists are short and of our own; they name most of what captions of photographs are about. Nouns
are in the singular; two of one line may be the same person, scene or thing.
"""

from collections.abc import Mapping
from typing import NamedTuple

FEMALE, MALE, YOUNG, ADULT = "female", "male", "young", "adult"

_PERSONS = """
male adult: man gentleman husband father dad grandfather groom king uncle
male young: boy son
male: guy male brother
female adult: woman lady wife mother mom grandmother bride queen aunt
female young: girl daughter
female: female sister
young: child kid toddler baby infant teenager teen youth student youngster
adult: adult parent grandparent
: person someone human family friend crowd audience spectator onlooker tourist hiker
"""
_ROLES = """
player athlete teammate, biker cyclist bicyclist rider motorcyclist racer jockey, surfer, swimmer,
diver, skier, snowboarder, skateboarder skater, climber, runner jogger, dancer, singer musician
guitarist drummer performer, soldier, police policeman officer, fireman firefighter, worker
workman, chef cook, waiter waitress, doctor nurse, teacher, driver, pilot, sailor, farmer,
fisherman, cowboy, clown, boxer wrestler fighter, golfer, artist painter, photographer, vendor
salesman, referee umpire, businessman businesswoman
"""
GROUPS = frozenset(("group", "couple", "pair", "crowd", "team", "bunch", "family"))
"""What several persons are called: "a group of people"."""

_SCENES = """
water ocean sea lake river pool pond stream creek wave surf waterfall beach sand shore coast dock
pier puddle fountain bay harbor shoreline bank
snow ice mountain slope hill cliff rock hillside rink glacier mountainside ledge
forest woods tree trail jungle leaf log path
grass field lawn meadow park yard backyard garden playground pasture dirt mud plain swing slide
street road sidewalk city town corner pavement highway crosswalk alley intersection traffic market
room house building wall staircase porch kitchen bedroom bathroom restaurant bar cafe office hall \
home gym mall
store shop supermarket
bench couch sofa chair bed table desk
stage theater
stadium court arena track racetrack ramp skatepark
bus train subway station platform airport runway
car truck
boat canoe ship kayak raft
church
desert
bridge
farm barn zoo
"""

_GENERAL = """
animal animals: dog puppy cat kitten horse pony cow bull sheep goat pig bear deer elephant giraffe
    zebra lion tiger monkey rabbit greyhound collie poodle retriever terrier bird duck fish
person people: man woman boy girl child kid toddler baby lady guy gentleman teenager player surfer
    skier snowboarder skateboarder swimmer climber biker cyclist rider runner dancer
garment garments: shirt jacket hat coat dress sweater skirt cap scarf jersey vest suit
    sweatshirt hoodie helmet uniform costume
vehicle vehicles: car truck bus train bike bicycle motorcycle boat canoe kayak airplane plane van
    scooter taxi tractor skateboard
place places: park street beach field city yard playground garden forest restaurant kitchen room
    store stadium lawn road sidewalk
building buildings: house church barn tower skyscraper hotel
plant plants: tree flower bush palm
body of water, bodies of water: lake river ocean sea pool pond stream creek
piece of furniture, pieces of furniture: chair table bench couch sofa bed desk
toy toys: frisbee doll kite ball balloon
food foods: pizza sandwich cake apple banana hotdog doughnut salad bread
instrument instruments: guitar drum piano violin trumpet
device devices: phone cellphone camera computer laptop television
"""
_IRREGULAR = {
    "man": "men",
    "woman": "women",
    "gentleman": "gentlemen",
    "policeman": "policemen",
    "fireman": "firemen",
    "fisherman": "fishermen",
    "workman": "workmen",
    "salesman": "salesmen",
    "businessman": "businessmen",
    "businesswoman": "businesswomen",
    "child": "children",
    "person": "people",
    "leaf": "leaves",
    "fish": "fish",
    "sheep": "sheep",
    "deer": "deer",
    "grass": "grass",
    "woods": "woods",
}


class Person(NamedTuple):
    """What a noun says of a person; empty where it says nothing.

    sex: `MALE` or `FEMALE`. age: `YOUNG` or `ADULT`. role: a noun that stands for all of its kind.
    """

    sex: str = ""
    age: str = ""
    role: str = ""

    def differs(self, other: "Person") -> bool:
        """Whether no person can be both."""
        known = zip(self, other, strict=True)
        return any(one and two and one != two for one, two in known)


class _Noun(NamedTuple):
    """A noun in one of its forms: its singular, and whether it is the plural."""

    singular: str
    is_plural: bool


class General(NamedTuple):
    """A more general name, in the singular and in the plural."""

    singular: str
    plural: str


def plural(noun: str) -> str:
    """Return the plural of a noun.

    Examples
    --------
    >>> [plural(noun) for noun in ("dog", "bench", "puppy", "toy", "child")]
    ['dogs', 'benches', 'puppies', 'toys', 'children']
    """
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1] not in set("aeiou"):
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def _persons() -> dict[str, Person]:
    persons: dict[str, Person] = {}

    for line in _PERSONS.strip().splitlines():
        kind, nouns = line.split(":")
        words = kind.split()
        sex = next((word for word in words if word in (MALE, FEMALE)), "")
        age = next((word for word in words if word in (YOUNG, ADULT)), "")
        persons |= {noun: Person(sex, age) for noun in nouns.split()}

    for group in _ROLES.split(","):
        alike = group.split()
        persons |= {noun: Person(role=alike[0]) for noun in alike}

    return persons


def _general() -> dict[str, General]:
    names: dict[str, General] = {}

    for line in _GENERAL.strip().replace("\n    ", " ").splitlines():
        name, nouns = line.split(":")
        forms = name.split(", ") if ", " in name else name.split()
        names |= dict.fromkeys(nouns.split(), General(*forms))

    return names


PERSONS: Mapping[str, Person] = _persons()
"""What each noun says of a person, by the noun in the singular."""
SCENES: Mapping[str, int] = {
    noun: number
    for number, line in enumerate(_SCENES.strip().splitlines())
    for noun in line.split()
}
"""The number of the kind of scene of each noun: those of one kind may be the same scene."""
GENERAL: Mapping[str, General] = _general()
"""The more general name of each noun, by the noun in the singular."""


_SINGULARS = [*PERSONS, *SCENES, *GENERAL]
NOUNS: Mapping[str, _Noun] = {
    **{plural(noun): _Noun(noun, True) for noun in _SINGULARS},
    **{noun: _Noun(noun, False) for noun in _SINGULARS},
}
"""Every noun of the lists, by its form."""
