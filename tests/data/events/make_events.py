"""Makes the files of this folder, one by each tool: the same seven epochs as W W N1 N2 N3 ? R, an arousal among them.

    pip install pyedflib edfio mne pandas; python3 make_events.py

The files are in the repository so that the tests need none of the tools (tests/cli/formats/test_event_files.py reads them).
"""
import edfio
import mne
import numpy as np
import pyedflib

ROWS = [(0, 60, "Sleep stage W"), (60, 30, "Sleep stage N1"), (65, 4, "Arousal"), (90, 30, "Sleep stage N2"), (120, 30, "Sleep stage N3"),
        (150, 30, "Sleep stage ?"), (180, 30, "Sleep stage R")]

# EDFlib: annotations beside a signal, in records of 30 seconds
with pyedflib.EdfWriter("pyedflib.edf", 1, file_type=pyedflib.FILETYPE_EDFPLUS) as out:
    out.setDatarecordDuration(30)
    out.setSignalHeader(0, {"label": "EEG", "dimension": "uV", "sample_frequency": 1, "physical_max": 1, "physical_min": -1,
                            "digital_max": 1, "digital_min": -1, "transducer": "", "prefilter": ""})
    out.writeSamples([np.zeros(210)])
    for row in ROWS:
        out.writeAnnotation(*row)

# edfio: annotations alone
edfio.Edf([], annotations=[edfio.EdfAnnotation(*row) for row in ROWS]).write("edfio.edf")

# MNE: text and CSV
annotations = mne.Annotations(*zip(*ROWS))
annotations.save("mne.txt", overwrite=True)
annotations.save("mne.csv", overwrite=True)
