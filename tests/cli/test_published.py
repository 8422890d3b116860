"""The published experiment, run by models/network/published.py with the program: its figures, and what limits them."""
import os
import sys

import statepath_test as st

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "models", "network"))
import experiment
import published


class TestPublished(st.TestCase):
    def test_the_digits(self):
        experiment.PROGRAM, experiment.FOLDER = os.path.abspath(os.environ["STATEPATH"]), self.path(".")
        none, masked, seen = published.train()
        # Which class the masked network says, and so its accuracy, is the seed's: of ten seeds (published.RECORDED) one of these.
        accuracy = masked["strategies"]["greedy"]["accuracy"]
        self.assertIn("%.3f" % accuracy, published.RECORDED)
        self.assertEqual(published.table(none, masked), """
The published experiment (5 nights and 250 epochs for testing, previous-prediction decoding)

                           without masking    with masking   difference
test accuracy                       0.9960          %.4f      %+.4f
illegal transitions               0 of 245        0 of 245""" % (accuracy, accuracy - .996))
        for result in none, masked:
            self.assertEqual(result["strategies"]["argmax"]["accuracy"], result["strategies"]["greedy"]["accuracy"])
        text = published.limits(none, masked, seen)
        self.assertEqual(text.count("\n"), 5)
        self.assertIn("REM has 1 of the 250 epochs for testing, and 0 of the 1000 for training: nobody could learn it.", text)
        self.assertIn("the labels change class at 21 of the 245 transitions", text)
        self.assertRegex(text, r"The masked network says (\w+) for every epoch, so it breaks no rule; its accuracy is the share of \1, %d of 250\." % round(250 * accuracy))
        self.assertIn("Which class that is depends on the seed: " + published.RECORDED, text)
        self.assertIn("training.html", self.files())

    def test_the_verdict_follows_the_interval(self):
        def rows(gains):
            return [{"argmax": {"accuracy": 0.5}, "x": {"accuracy": 0.5 + g}} for g in gains]
        self.assertEqual(published.verdict(rows([0.10, 0.11, 0.12, 0.09, 0.10]), "x"), "more accurate")
        self.assertEqual(published.verdict(rows([-0.10, -0.11, -0.12, -0.09, -0.10]), "x"), "less accurate")
        self.assertEqual(published.verdict(rows([0.10, -0.11, 0.12, -0.09, 0.10]), "x"), "cannot be told apart")


st.main()
