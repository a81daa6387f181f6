# ruff: noqa: RUF001
"""Each rule finds what collections ask people not to write, and lets ordinary sentences pass."""

from typing import Any

import pytest

from tercet.analysis.dataset.sentence_rules import (
    SentenceRule,
    broken_rules,
    count_words,
)
from tests.metrics.ptb.test_ptb import coco_captions

BROKEN = {
    SentenceRule.SHORT: """
        A dog.|Two men on a bench.|A red bus|A cat sleeps on a sofa.|Kids playing
        A plate of food on a table.|Street at night.|A man surfing a big wave.|Zebras in a field
        One clock - on a wall.|A well-known tower in the rain.|A dog's ball|Some people outside.
        A train , on the tracks .|Three birds on a wire.|A kitchen with a stove.|Skier.|A toilet
        Several boats in a small harbour.|Woman with umbrella""",
    SentenceRule.OPENING: """
        There is a dog on the grass.|there are two men on a bench|There's a bus in the street.
        THERE IS A CAT ON THE SOFA|"There are many birds"|There’s snow everywhere on the road.
        There is no one in this room.|There are, on a table, three plates.|there is an old clock
        - There is a boat|There are people who wait for a train.|there are a lot of bananas here
        There is also a car.|There is something white in the sky.|There are kites over a beach.
        There is food on a plate.|There is a man; he surfs.|There are no chairs in the kitchen.
        There is, it seems, a zebra.|There are 3 sheep near a fence.""",
    SentenceRule.SPEECH: """
        I see a dog on the grass.|A bus that we cannot see well.|My cat sleeps on a red sofa.
        A sign says "stop" at a street.|A man says “hello” to a woman.|Do you see the zebra here?
        A cake that I'm sure is sweet.|Your dinner is on the table.|We're looking at a kitchen.
        A woman who smiles at us.|Our town in the evening light.|A boy shouts: «Look at the kite!»
        I have never seen such a train.|A picture that shows me a bird.|You can see two boats here.
        A clown you'd like to meet.|A man asks “is this mine”.|a photo i took of a bench
        A child tells its mother: "Let me play."|The view from ours is of a tall tower.""",
    SentenceRule.TENSE: """
        A man was riding a horse.|Two dogs were on the grass.|A boy will catch the ball.
        A woman who had a red bag.|A player is going to throw a ball.|The cat wasn't on the sofa.
        The men weren't at the table.|She'll eat the cake on the plate.|The bus won't stop here.
        A girl had ridden her bike.|The train will leave the station.|A kite that was in the sky.
        Birds were sitting on a wire.|A chef is going to cut some bread.|The surfer hadn't fallen.
        They'll ski down the hill.|It was raining in the street.|Sheep that were near a fence
        A skater had jumped over steps.|A waiter WILL bring the food.""",
    SentenceRule.NAME: """
        A bus drives through London.|A man plays with a Nintendo controller.|A dog called Rex.
        The tower of Big Ben at night.|Two women in front of a Starbucks.|A plane of Lufthansa
        A boy holds a Wii remote.|A street in New York with taxis.|A cat looks at Tom.
        A child with a Pikachu toy.|A stop sign on Main Street.|Kids meet Santa near a tree.
        A can of Pepsi on a table.|A Ford parked near a tree.|People walk in Central Park.
        A player of the Yankees runs.|A picture of Elvis on a wall.|An Apple laptop on a desk.
        The bridge over the Thames.|A man, Peter, sits on a bench.""",
    SentenceRule.ADDRESS: """
        A dog from http://example.org/dog.|A cat https://example.com|See www.example.org for a bus
        mail me@example.org|A man (example.com) surfs.|A logo of example.net on a wall.
        A train, WWW.TRAINS.EXAMPLE|a kite HTTP://KITES|photo by someone@photos.example
        Example.Org shows a zebra.|A bench at park-benches.com.|visit http:// now
        A plate www.food|A bird of birds.org|A clock - clocks.net - on a wall|a.b@c.d and a boat
        A ball from balls.com/shop|A sheep, https:sheep|write to x@y.z|An oven; see ovens.org!""",
    SentenceRule.LANGUAGE: """
        Ein Hund läuft auf dem Gras.|Un chien dans la neige.|Eine Katze und ein Hund im Garten.
        Un hombre con una bicicleta en la calle.|Le chat dort sur le toit de la maison.
        Un perro corre por la hierba.
        一只狗在草地上奔跑。|Собака бежит по траве.|犬が草の上を走る。
        Il gatto dorme sul tetto della casa.|Een hond rent over het gras in de zon.
        고양이가 자고 있다
        Um cão corre na rua com o dono.|Das Auto steht vor dem Haus.
        La mujer y el niño en un parque.
        Deux hommes sont assis sur un banc.|كلب يجري على العشب|Ο σκύλος τρέχει στο γρασίδι
        De man en het kind op een fiets.|כלב רץ על הדשא""",
}
"""Twenty sentences that break each rule."""

NEAR = {
    SentenceRule.SHORT: """
        A dog is running on the green grass.|A man, who is old, sits on a bench.
        Two dogs - one black - run on the grass.|A well-known old tower stands in the heavy rain.
        A dog's red ball lies on the grass outside.|Three 3 4 5 6 7 8 9""",
    SentenceRule.OPENING: """
        A man stands there is his coat.|Thereabouts is a small dog on the grass.
        Over there are some people with a dog.|Where there is snow a child skis downhill.
        Therese is not what anybody calls this grey cat.|They are in a boat on a calm lake.
        The red bus is there.|Their dog is on the sofa near a lamp.""",
    SentenceRule.SPEECH: """
        A flag of the US hangs on a wall.|A man uses a yellow umbrella on the street.
        A coal mine near a small town.|The dog's ball and the cat's toy on a rug.
        An island with a few palm trees.|A youth rides a board down the stairs.
        It is a bus with its doors open.|A mythical beast is painted on a wall.""",
    SentenceRule.TENSE: """
        A dog is washing itself in a puddle.|A willow stands beside a calm pond.
        A man has a hat and wears a coat.|A shade hangs over a werewolf costume.
        A wasp sits on a slice of melon.|A wild goose is going towards a lake.
        A hill with a wall and a well.|A haddock lies on a plate with some chips.""",
    SentenceRule.NAME: """
        A French bulldog sits on the grass.|A Frisbee flies over a park.|A TV stands on a table.
        Christmas lights on a tree.|London|A man rests. Another one reads a book.
        A sign that says STOP stands at a corner.|A T-shirt with a print hangs on a line.
        A Mexican dish with beans.|A DVD lies near a PC on a desk.
        "Two" men with an American flag.""",
    SentenceRule.ADDRESS: """
        A dog sits near a fence.Another one runs.|A comfortable chair in a room
        A man @ a bus stop|An organ stands in a church|A net hangs between two posts
        The ratio is 4:3 on this screen|A shop.complete with doors""",
    SentenceRule.LANGUAGE: """
        A dog on the grass.|A man in a sombrero.|Sushi and soba noodles on a plate
        A die lies on a table|Two men en route|A la carte food|Une|Der|A cafe with a terrace""",
}
"""Sentences that come near to breaking a rule, and do not."""

ORDINARY = """
    A black cat is asleep on a red sofa near a window.
    Two men ride their bicycles down a street with many trees.
    A woman in a blue dress holds an umbrella in the rain.
    Several sheep are standing in a field beside a wooden fence.
    A child throws a yellow ball to a dog on the beach.
    A plate with rice, beans and a slice of lemon on a table.
    An old train is crossing a bridge over a small river.
    A white bathroom with a sink, a mirror and two towels.
    People are flying colourful kites in a large park.
    A bus is parked in front of a tall building at night.
    A surfer rides a big wave close to the shore.
    Three giraffes are eating leaves from the top of a tree.
    A bowl of fruit stands next to a vase with flowers.
    A man is cutting a pizza with a long knife in a kitchen.
    A stop sign stands at the corner of an empty street.
    A young girl brushes her teeth in front of a mirror.
    Two zebras drink water from a pond in the dry grass.
    An airplane is flying above the clouds in a clear sky.
    A laptop and a cup of coffee are on a wooden desk.
    A skier is jumping over a small hill covered with snow.
"""


def sentences(text: str) -> list[str]:
    lines = text.strip().splitlines()
    return [each.strip() for line in lines for each in line.split("|")]


def broken(sentence: str, rule: SentenceRule, language: str = "en") -> bool:
    return broken_rules(sentence, [rule], min_words=8, language=language) == [rule]


@pytest.mark.parametrize("rule", BROKEN)
def test_twenty_sentences_break_each_rule(rule: SentenceRule) -> None:
    found = sentences(BROKEN[rule])
    assert len(found) == 20
    assert [each for each in found if not broken(each, rule)] == []


@pytest.mark.parametrize("rule", BROKEN)
def test_ordinary_sentences_and_near_misses_break_no_rule(rule: SentenceRule) -> None:
    kept = [*sentences(ORDINARY), *sentences(NEAR[rule])]
    assert len(kept) > 20
    assert [each for each in kept if broken(each, rule)] == []


REPEATS = sentences(ORDINARY)


@pytest.mark.parametrize("sentence", REPEATS)
def test_a_sentence_is_repeated_by_its_words_in_any_order_and_case(
    sentence: str,
) -> None:
    others = [each for each in REPEATS if each != sentence]
    values: dict[str, Any] = {"min_words": 8, "language": "en"}
    assert broken_rules(sentence, [*SentenceRule], others=others, **values) == []

    turned = " ".join(reversed(sentence.upper().rstrip(".").split()))
    found = broken_rules(turned, [SentenceRule.REPEATED], others=REPEATS, **values)
    assert found == [SentenceRule.REPEATED]


def test_only_chosen_rules_are_checked() -> None:
    sentence = "There was my dog"
    assert broken_rules(sentence, [], min_words=8, language="en") == []
    chosen = broken_rules(sentence, ["tense"], min_words=8, language="en")
    assert chosen == [SentenceRule.TENSE]


@pytest.mark.parametrize(
    ("sentence", "language", "rule"),
    [
        ("Es gibt einen Hund auf dem Gras.", "de", SentenceRule.OPENING),
        ("Mein Hund liegt auf dem Gras.", "de-AT", SentenceRule.SPEECH),
        ("Hay un perro en la calle.", "es", SentenceRule.OPENING),
        ("El perro estaba en la calle.", "es", SentenceRule.TENSE),
        ("Il y a un chien dans la rue.", "fr", SentenceRule.OPENING),
        ("Le chien que j'ai vu", "fr", SentenceRule.SPEECH),
        ("Le chien e\u0301tait dans la rue.", "fr", SentenceRule.TENSE),
        ("有一只狗在草地上。", "zh", SentenceRule.OPENING),
        ("我的狗在草地上。", "zh-hans", SentenceRule.SPEECH),
    ],
)
def test_words_are_those_of_the_language(
    sentence: str, language: str, rule: SentenceRule
) -> None:
    assert broken(sentence, rule, language)
    assert not broken(sentence, rule, "fi")


def test_nouns_have_capitals_in_german() -> None:
    assert not broken("Ein Hund liegt auf dem Gras.", SentenceRule.NAME, "de")


@pytest.mark.parametrize(
    ("sentence", "words"),
    [("", 0), (" - ", 0), ("A dog's well-worn ball , 3 cm", 6), ("一只狗。", 3)],
)
def test_words_are_counted(sentence: str, words: int) -> None:
    assert count_words(sentence) == words


def test_rules_fire_on_few_sentences_of_coco() -> None:
    captions = list(coco_captions().values())[::4]
    rules = (SentenceRule.OPENING, SentenceRule.SHORT)
    found = [
        rule
        for caption in captions
        for rule in broken_rules(caption, rules, min_words=8, language="en")
    ]
    shares = [100 * found.count(rule) / len(captions) for rule in rules]

    assert shares == [pytest.approx(2.0, abs=0.2), pytest.approx(0.8, abs=0.2)]
