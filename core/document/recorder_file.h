#pragma once

#include <string>

#include "core/analysis/card_figures.h"
#include "core/base/import_log.h"

namespace snapviewer {

/// Path of the file in which snapviewer's recorder writes its facts about a snapshot: "a.about.json" for "a.pickle",
/// "a.pickle.zst" and "a".
std::string recorder_facts_path(const std::string& snapshot_path);

/// The recorder's figures of the card's memory; empty if the file does not exist. Reports a damaged file in `log`. Standard
/// input and remote files have none.
std::vector<CardFigures> figures_beside(const std::string& snapshot_path, ImportLog& log);

}  // namespace snapviewer
