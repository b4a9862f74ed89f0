#pragma once

#include <string_view>

#include "core/analysis/card_figures.h"
#include "core/base/result.h"

namespace snapviewer {

/// What snapviewer's recorder puts beside a snapshot has no more bytes.
inline constexpr std::uint64_t k_most_recorder_facts_bytes = 1 << 20;

/// Of the JSON that the recorder puts beside a snapshot (docs/record.md) what it says of the card's memory. What it could
/// not find out is left out. An error where the text is none of the recorder's.
Result<CardFigures> read_recorder_facts(std::string_view json);

}  // namespace snapviewer
