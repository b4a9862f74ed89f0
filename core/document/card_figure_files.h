#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/oom/card_figures.h"
#include "core/base/import_log.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// Finds PyTorch's out-of-memory errors in the log of a job. Returns the error about each device of the snapshot, for
/// devices that have one. Ignores errors that name a rank or a device other than the snapshot's. Among several errors,
/// prefers one whose amounts match an out-of-memory event of the snapshot, then one that names the snapshot's rank, then the
/// last one in the log. `rank` is the rank of the snapshot, if known. `path` is an ordinary file of any size; it is read in
/// pieces, at about 1 GB/s. Throws if no error is about the snapshot.
std::vector<CardFigures> figures_in_log(const std::string& path, const Snapshot& snapshot,
                                        std::optional<std::uint32_t> rank);

/// Returns the path of the file in which snapviewer's recorder writes its facts about a snapshot: "a.about.json" for
/// "a.pickle", "a.pickle.zst" and "a".
std::string recorder_facts_path(const std::string& snapshot_path);

/// Reads the recorder's figures of the card's memory. Returns nothing if the file does not exist, or for standard input and
/// remote files. Reports a damaged file in `log`.
std::vector<CardFigures> read_card_figures(const std::string& snapshot_path, ImportLog& log);

}  // namespace snapviewer
