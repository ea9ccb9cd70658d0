import drx
import matplotlib.pyplot as plt
import numpy as np

with drx.open("uwnd") as wind:
    equator = wind[:, 36, :]  # all months of one latitude: across the grain
usual = equator.reshape(-1, 12, equator.shape[1]).mean(axis=0)
with drx.create("anomaly", (0, equator.shape[1]), "float32", dims=("TIME", "FNOCX")) as anomaly:
    for month, row in enumerate(equator):  # it grows month by month
        anomaly.append(row - usual[month % 12])
    plt.pcolormesh(np.arange(0, 360, 2.5) + 20, 1982 + np.arange(132) / 12, anomaly[...], cmap="RdBu_r", vmin=-6, vmax=6)
plt.gca().set(title="Wind at the equator, less the usual: El Niño in 1982", xlabel="degrees east")
plt.colorbar(label="m/s, from the west")
plt.savefig("el-nino.png")
