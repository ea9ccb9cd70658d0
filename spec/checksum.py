"""The checksum of drx-format.md (1), and the number of a start of the machine that the checksums of chunks name (8)."""

TABLE = list(range(256))
for _ in range(8):
    TABLE = [register >> 1 ^ (register & 1) * 0x82F63B78 for register in TABLE]


def crc32c(seed, data):
    register = seed ^ 0xFFFFFFFF
    for byte in data:
        register = register >> 8 ^ TABLE[(register ^ byte) & 0xFF]
    return register ^ 0xFFFFFFFF


def checked_word(sum_of_word):
    """The word of 32 bits with this CRC: there is one."""
    register = sum_of_word ^ 0xFFFFFFFF
    for _ in range(4):  # the top byte of a table entry tells which entry it is
        byte = next(i for i in range(256) if TABLE[i] >> 24 == register >> 24)
        register = (register ^ TABLE[byte]) << 8 & 0xFFFFFFFF | byte
    return register ^ 0xFFFFFFFF


def this_boot():
    """8: the number of this start of this machine; None: unknown."""
    try:
        with open("/proc/sys/kernel/random/boot_id", "rb") as file:
            name = file.read()
    except OSError:
        return None
    h = 0xCBF29CE484222325
    for byte in name:
        h = (h ^ byte) * 0x100000001B3 % (1 << 64)
    return 1 + (h ^ h >> 32) % ((1 << 24) - 2)
