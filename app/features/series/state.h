#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/series/series_curves.h"
#include "app/ui/long_work.h"

namespace snapviewer {

/// By what the memory of one rank is taken apart.
enum class SeriesParts : std::uint8_t { sizes, pools };

/// The window of a series between two frames.
struct SeriesState {
    bool is_open = false;
    std::vector<std::string> paths;            ///< of what was opened; empty before anything was
    std::shared_ptr<const ShownSeries> shown;  ///< null before it is read
    LongWork work;
    bool is_followed = true;  ///< new samples are read as they come
    std::size_t chosen = 0;   ///< of the lines, the one that is taken apart
    SeriesParts parts = SeriesParts::sizes;
    SeriesLayers layers;  ///< of `layers_of` and the two above
    std::shared_ptr<const ShownSeries> layers_of;
    std::size_t layers_of_line = 0;
    SeriesParts layers_by = SeriesParts::sizes;
    std::vector<std::string> told;  ///< the lines of `told_of` as they fit into `told_width`
    std::shared_ptr<const ShownSeries> told_of;
    float told_width = 0;
};

}  // namespace snapviewer
