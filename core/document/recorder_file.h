#pragma once

#include <string>

#include "core/analysis/card_figures.h"
#include "core/base/import_log.h"

namespace snapviewer {

/// Returns the path of the file in which snapviewer's recorder writes its facts about a snapshot: "a.about.json" for
/// "a.pickle", "a.pickle.zst" and "a".
std::string recorder_facts_path(const std::string& snapshot_path);

/// Reads the recorder's figures of the card's memory. Returns nothing if the file does not exist, or for standard input and
/// remote files. Reports a damaged file in `log`.
std::vector<CardFigures> figures_beside(const std::string& snapshot_path, ImportLog& log);

}  // namespace snapviewer
