#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/series/series_curves.h"
#include "app/ui/state_parts.h"

namespace snapviewer {

/// How the memory of a rank is split into layers.
enum class SeriesParts : std::uint8_t { sizes, pools };

/// State of the window of a series.
struct SeriesState {
    bool is_open = false;
    std::vector<std::string> paths;            ///< files and folders that were opened; empty before the first time
    std::shared_ptr<const ShownSeries> shown;  ///< the series on the screen; null until its samples are read
    LongWork work;
    bool is_followed = true;  ///< follow mode: new samples are read as they are written
    std::size_t chosen = 0;   ///< index into `shown->ranks` of the rank that is split into layers
    SeriesParts parts = SeriesParts::sizes;
    SeriesLayers layers;  ///< cached layers of the rank `layers_of_line` in `layers_of`, split by `layers_by`
    std::shared_ptr<const ShownSeries> layers_of;
    std::size_t layers_of_line = 0;
    SeriesParts layers_by = SeriesParts::sizes;
    std::vector<std::string> told;  ///< text lines of the series `told_of`, wrapped to the width `told_width`
    std::shared_ptr<const ShownSeries> told_of;
    float told_width = 0;
};

}  // namespace snapviewer
