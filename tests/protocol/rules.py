"""The rules of the protocol. Each can be switched off, which makes a mutant that the random histories have to find."""


class Broken(Exception):
    """A promise of the format was broken."""


RULES = {
    # the log
    "offset_in_crc": "4: a record's CRC is seeded with its offset, so a log inside an attribute is no record",
    "only_c_counts": "5.1: records after the last C do not count",
    "only_sync_proves": "5.2: nothing but a later SYNC tells damage from a torn tail",
    "log_synced": "5.4: before a SYNC the log is made durable",
    "sync_locked": "5.4: under the lock, with nothing appended since",
    "sync_cuts": "5.4: and a dead tail was cut off",
    "sync_at_open": "5.4: before the first change after an opening comes a SYNC",
    "sync_after_commit": "5.4: after a commit comes a SYNC",
    "sync_at_close": "5.4: a writer that closes the store leaves a SYNC at its end",
    "write_again": "5.4: opening for writing writes the log from the last SYNC on again, since a sync may have failed",
    # data and growth
    "data_before_commit": "5.4: data are durable before the COMMIT",
    "every_stripe": "9: of stripes, all files are",
    "fill_durable": "7: a fill that is not zeros is durable before the record with C",
    "grow_first": "5.4: GROW is appended before data that may have to be taken back",
    "distrust": "5.4: whoever has opened for writing checks cells of older chunks before they are uncovered",
    "distrust_trims": "5.4: so does everybody in a store with a TRIM",
    "restore_durable": "5.4: restored cells are durable before a record with C",
    "restore_epoch": "10.3: of compressed chunks, an EPOCH promises them in the same run, or in that of a SYNC",
    "cut_at_open": "5.4: opening for writing cuts files, also when the log has no tail",
    # giving back
    "restore": "5.4: giving back restores the fill in cells of older chunks",
    "restore_removed": "5.4: also of variables that the transaction has removed",
    "restore_first": "5.4: cells are restored, and files cut, before the log is cut",
    "giving_durable": "5.4: and that is durable before the log is cut",
    "unlink_durable": "5.4: so are the names that are gone",
    "cut_durable": "5.4: opening for writing makes the log durable, as it was cut, before anything is appended",
    "elements_lock": "11: whoever cuts a tail waits for the processes that write elements",
    # variables
    "variable_first": "5.4: VARIABLE is durable before its files are made",
    "files_durable": "5.4: the names of its files are durable before the C",
    "remove_after": "5.4: files are removed after REMOVE is durable",
    "unlink_on_give_back": "5.4: giving back removes the files of variables that did not come to count",
    "stems_once": "4.2: a stem is used once",
    "removed_tells": "5.5: a reader that opens files late and finds none reads the log on",
    # trims
    "trim_durable": "5.4: a TRIM is durable before its cells change",
    "trims_word": "5.4: and the live word is set",
    "word_lower": "5.4: also if it was larger",
    "word_counts": "5.4: never to a TRIM that does not count yet",
    "word_by_all": "5.4: by whoever changes them, not by the one that trimmed alone",
    "words_first": "5.5: a reader loads the words before it reads the log",
    "words_after": "5.5: and after each read of elements",
    "keep_trims": "5.5: a reader that stays at its snapshot looks at all TRIMs since",
    "no_growth_after_trim": "5.1: a run does not grow a dimension that it has trimmed",
    "trim_waits": "11: whoever changes cells after a TRIM waits for the processes that write elements",
    "writers_look": "11: a sharing writer looks at the words before it writes elements",
    # readers
    "read_twice": "5.5: a reader believes a new run, or damage, when it has read the bytes twice alike",
    # compaction
    "replaced_before": "5.6: `replaced` is 1 before the new log takes the name",
    "look_at_path": "5.5: at 1 and 2, a reader looks at the path",
    "new_log_durable": "5.6: the new log is durable before it takes the name",
    "folder_durable": "5.6: the folder is durable before anything is appended",
    "open_folder": "5.4: whoever opens for writing makes the folder durable",
    "same_inode": "11: under the lock of changes a writer looks whether the log still has its name",
    "base_trim": "5.6: BASE has the last TRIM that was left out",
    "base_numbers": "5.6: numbers of what was left out stay used",
    "sequence_goes_on": "5.6: sequence numbers go on",
    "keep_unlinked": "5.6: REMOVE is left out only after the unlinking is durable",
    "merge_alone": "5.6: growths are merged in a lone array alone",
    # compressed tables
    "payloads_first": "10.3: a sync makes payloads durable before it promises their epoch",
    "epoch_locks": "10.3: the locks on all entries are held until the EPOCH is appended",
    "entry_lock": "10.3: sharing writers lock the entry that they change",
    "place_lock": "10.3: and the giving out of places",
    "keep_durable": "10.3: a new half takes the place of the one that is not durable",
    "open_durable": "10.3: an open payload is durable before its half",
    "only_open_again": "10.1: the bytes of a closed payload are never used again",
    "place_unnamed": "10.1: where an open one lay, another one lies only when no half names the place any longer",
    "left_synced": "10.1: and a sync has made that durable",
    "hole_after_sync": "10.3: bytes become holes after a sync",
    "empty_lost": "10.3: opening for writing empties halves whose payload is lost",
    "places_behind_all": "10.3: new payloads come behind those of all entries, also of freed chunks",
    "torn_new": "10.2: a half with a wrong CRC, but the sum of an epoch above E, is empty",
    "torn_old": "10.2: so is one with the sum of an epoch below that of the other half",
    "entry_again": "10.2: a half with a wrong CRC is read again",
    "empty_again": "10.2: two empty halves are read again",
    "entry_after": "10.2: the entry is still the same after bytes that no CRC covers were read",
    "table_cut": "5.4: giving back, and opening, cut the table",
}
SELDOM = {"writers_look", "word_counts", "restore_epoch", "restore_removed", "cut_durable", "entry_after",
          "open_folder", "places_behind_all"}  # only long runs find these
OFF = set()


def on(rule):
    assert rule in RULES, rule
    return rule not in OFF
