import os
import signal

import drx
import matplotlib.pyplot as plt

source = drx.open_dataset("winds")  # all months and longitudes, as drx import made it
half = source.dims["FNOCX"] // 2

with drx.create_dataset("growing") as winds:
    for name in ("UWND", "VWND"):
        winds.add(name, ("TIME", "FNOCY", "FNOCX"), (0, source.dims["FNOCY"], half), "float32", chunks=(12, 37, 36))
    winds.commit("two variables, half of the longitudes")

    for year in range(11):  # a commit for each year
        with winds.transaction(f"{1982 + year}"):
            winds.extend("TIME", 12)
            for name in winds:
                winds[name][-12:] = source[name][12 * year:12 * year + 12, :, :half]

if os.fork() == 0:  # a program that widens both variables, and is killed in the middle
    winds = drx.open_dataset("growing", "r+")
    winds.extend("FNOCX", half)
    winds["UWND"][:, :, half:] = -99
    os.kill(os.getpid(), signal.SIGKILL)
os.wait()
with drx.open_dataset("growing") as winds:
    print("after the kill: ", winds.commits[-1].message, winds.dims)

with drx.open_dataset("growing", "r+") as winds, winds.transaction("the other half of the longitudes"):
    winds.extend("FNOCX", half)
    for name in winds:
        winds[name][:, :, half:] = source[name][:, :, half:]

figure, axes = plt.subplots(2, 1, figsize=(8, 8))
for axis, at in zip(axes, (5, None)):
    with drx.open_dataset("growing", at=at) as winds:
        months, commit = winds.dims["TIME"], winds.commits[winds.commit_number]
        axis.pcolormesh(winds["UWND"][months - 1], cmap="RdBu_r", vmin=-12, vmax=12)
        axis.set(title=f"commit {commit.number}: {commit.message}, {months} months", xlim=(0, 2 * half))
        if at is None:
            for name in winds:
                assert (winds[name][...] == source[name][...]).all()
            print("all elements equal those of the source")
figure.savefig("growing.png")
