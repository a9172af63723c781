"""Wrong tokens are slowed down by address."""

from lossboard.server.wrong_tokens import WrongTokens


def test_first_wrong_tokens_of_an_address_do_not_wait():
    wrong = WrongTokens()
    assert [wrong.delay_secs("a", 0.0) for _ in range(10)] == [0.0] * 10
    assert wrong.delay_secs("b", 0.0) == 0.0


def test_further_wrong_tokens_wait_until_too_many_do():
    wrong = WrongTokens()
    for _ in range(10):
        wrong.delay_secs("a", 0.0)
    assert [wrong.delay_secs("a", 10.0) for _ in range(6)] == [1.0, 1.0, 1.0, 1.0, None, None]
    assert wrong.delay_secs("a", 12.0) == 1.0
    assert wrong.delay_secs("b", 10.0) == 0.0


def test_wrong_tokens_are_forgotten_after_a_minute():
    wrong = WrongTokens()
    for _ in range(20):
        wrong.delay_secs("a", 0.0)
    assert wrong.delay_secs("a", 61.0) == 0.0


def test_number_of_addresses_is_limited():
    wrong = WrongTokens()
    for number in range(5000):
        wrong.delay_secs(str(number), 0.0)
    assert len(wrong._times) == 1000
