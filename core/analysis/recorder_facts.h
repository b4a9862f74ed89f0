#pragma once

#include <string_view>

#include "core/analysis/card_figures.h"
#include "core/base/result.h"

namespace snapviewer {

/// Maximum size in bytes of the JSON file that snapviewer's recorder writes beside a snapshot.
inline constexpr std::uint64_t k_most_recorder_facts_bytes = 1 << 20;

/// Parses the JSON file that the recorder writes beside a snapshot (see docs/record.md) and returns its facts about the
/// card's memory. Facts that the recorder could not find out are unset. Returns an error if the text was not written by the
/// recorder.
Result<CardFigures> read_recorder_facts(std::string_view json);

}  // namespace snapviewer
