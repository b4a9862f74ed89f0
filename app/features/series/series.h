#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/fleet/fleet.h"
#include "app/features/session.h"
#include "app/ui/background_task.h"
#include "app/ui/disk_watch.h"
#include "app/ui/feature.h"
#include "app/ui/state_parts.h"
#include "core/fleet/series/series.h"
#include "core/fleet/series/series_reader.h"

namespace snapviewer::series {

// Data for drawing a series: a fixed number of columns over the time range that all ranks share.

inline constexpr std::size_t k_series_columns = 720;
/// Maximum number of lines that are drawn; growing lines take precedence.
inline constexpr std::size_t k_max_shown_lines = 64;

/// A curve with one value per column; nullopt in a column without a sample.
using SeriesCurve = std::vector<std::optional<std::uint64_t>>;

/// Curves of one device of a rank.
struct ShownSeriesLine {
    std::size_t line = 0;                             ///< index into the lines of the series
    std::string words;                                ///< display name: "rank 3", "rank 3, device 1"
    std::vector<std::optional<std::size_t>> samples;  ///< for each column, the sample with the most allocated memory
    SeriesCurve allocated, reserved;
};

/// Flag of a full snapshot.
struct ShownSeriesDump {
    double share = 0;  ///< position, as a fraction of the width
    std::string words;
    std::string file;
    std::string why;
};

/// A gap in the samples; positions are fractions of the width.
struct ShownSeriesGap {
    double begin = 0, end = 0;
};

/// A series with everything derived from it for the window. Immutable.
struct ShownSeries {
    SampleSeries series;
    SeriesFindings findings;
    std::vector<SeriesLineText> lines;     ///< findings as lines of text
    std::optional<std::int64_t> start_us;  ///< time of the left edge; nullopt if the x axis counts samples
    double span = 1;                       ///< width of the x axis, in microseconds or samples
    std::vector<ShownSeriesLine> ranks;    ///< curves to draw, sorted by rank; at most k_max_shown_lines
    std::vector<ShownSeriesDump> dumps;    ///< flags within the width of the picture, sorted by time
    std::vector<ShownSeriesGap> gaps;      ///< gaps of all ranks; overlapping ones are merged
    std::uint64_t most_allocated_bytes = 0;
};

ShownSeries show_series(SampleSeries series);

/// Layers of the stacked picture of one rank, largest total first, which is drawn at the bottom. The last layer sums all
/// that are too small for a layer of their own.
struct SeriesLayers {
    std::vector<std::string> names;
    std::vector<SeriesCurve> bytes;  ///< one curve per layer
    std::uint64_t most_bytes = 0;    ///< maximum reserved memory
};

/// Splits the memory of a rank by size class or by pool, into at most `most_layers` layers.
SeriesLayers layers_of(const ShownSeries& shown, std::size_t rank, bool by_size, std::size_t most_layers);

/// State of the window of a series.
struct SeriesState {
    bool is_open = false;
    std::vector<std::string> paths;            ///< files and folders that were opened; empty before the first time
    std::shared_ptr<const ShownSeries> shown;  ///< the series on the screen; null until its samples are read
    LongWork work;
    bool is_followed = true;  ///< follow mode: new samples are read as they are written
    std::size_t chosen = 0;   ///< index into `shown->ranks` of the rank that is split into layers
    bool is_by_size = true;   ///< whether the layers are classes of size or pools
    SeriesLayers layers;      ///< layers of the rank `layers_of_line` in `layers_of`, split as `layers_by_size` says
    std::shared_ptr<const ShownSeries> layers_of;
    std::size_t layers_of_line = 0;
    bool layers_by_size = true;
};

using SeriesChanges = FolderChanges<SeriesStamp>;

/// Reads the series that the window shows, and opens the full snapshots in it. While following is on, new samples are read
/// as they are written. Samples stay in memory until another series is opened. Main thread.
class SeriesRuns : public Feature {
public:
    /// Both arguments must outlive this object.
    SeriesRuns(Session& session, const fleet::FleetRuns& fleet) : session_(session), fleet_(fleet) {}

    /// Opens the window and starts to read the samples in these folders.
    void begin(std::vector<std::string> paths);
    void connect(Switchboard& board) override;
    void update() override;
    bool is_busy() const override { return task_.is_busy(); }
    bool has_news() const override { return watch_.ask(&SeriesChanges::has_news); }

    const SeriesState& state() const { return state_; }

private:
    /// Draws the window while it is open: the curves of all ranks, the layers of one rank, and the findings.
    void draw(Requests& requests);
    void restart();
    void stop();
    void read();
    void show(std::shared_ptr<const ShownSeries> read);
    void watch();
    void turn_following();

    Session& session_;
    const fleet::FleetRuns& fleet_;
    SeriesState state_;
    /// cache of samples; replaced when work is abandoned, because that work may still use the old one
    std::shared_ptr<SeriesMemory> memory_;
    BackgroundTask<std::shared_ptr<const ShownSeries>> task_;
    bool is_quiet_ = false;           ///< the running work only adds new samples, so it shows no progress
    DiskWatch<SeriesChanges> watch_;  ///< watches the folder while following is on and no samples are being read
};

}  // namespace snapviewer::series
