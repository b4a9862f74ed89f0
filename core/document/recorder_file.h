#pragma once

#include <string>

#include "core/analysis/card_figures.h"
#include "core/base/import_log.h"

namespace snapviewer {

/// Where snapviewer's recorder puts what it knows beside a snapshot: "a.about.json" for "a.pickle", "a.pickle.zst" and "a".
std::string recorder_facts_path(const std::string& snapshot_path);

/// What stands there of the card's memory; nothing where there is no such file. One that is damaged is noted in `log`.
/// Standard input and files on other machines have nothing beside them.
std::vector<CardFigures> figures_beside(const std::string& snapshot_path, ImportLog& log);

}  // namespace snapviewer
