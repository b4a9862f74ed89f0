#include "core/load/converted/plot_page.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/limits.h"
#include "core/load/bytes/byte_source.h"
#include "core/load/converted/elements.h"
#include "core/load/pytorch/json_scanner.h"

namespace snapviewer {
namespace {

constexpr std::string_view k_data_name = "let alloc_data =";
constexpr std::uint64_t k_nothing = ~std::uint64_t{0};  ///< Represents JSON's null in the lists of PlotLists

/// Byte source of the JSON on the line of the page that begins with k_data_name.
class PlotData : public ByteSource {
public:
    explicit PlotData(ByteSource& page) : page_(page) {}

    std::string_view next_piece() override {
        std::string_view piece;
        while (!has_begun_) {
            piece = page_.next_piece();
            if (piece.empty()) fail("is an HTML page of PyTorch's viewer without its data");
            piece.remove_prefix(end_of_name(piece));
        }
        if (at_end_) return {};
        if (piece.empty()) piece = page_.next_piece();
        const std::size_t end = piece.find('\n');
        if (end == piece.npos) return piece;
        at_end_ = true;
        piece = piece.substr(0, end);
        return piece.substr(0, piece.find_last_not_of("; \t\r") + 1);
    }

private:
    /// Returns the number of bytes up to the end of the name. Returns the size of the piece if the name is not complete yet.
    std::size_t end_of_name(std::string_view piece) {
        for (std::size_t i = 0; i < piece.size(); ++i) {
            matched_ = piece[i] == k_data_name[matched_] ? matched_ + 1 : piece[i] == k_data_name[0] ? 1 : 0;
            has_begun_ = matched_ == k_data_name.size();
            if (has_begun_) return i + 1;
        }
        return piece.size();
    }

    ByteSource& page_;
    std::size_t matched_ = 0;
    bool has_begun_ = false;
    bool at_end_ = false;
};

/// The lists of the page that snapviewer uses. Their numbers are indices into each other.
struct PlotLists {
    std::vector<std::uint64_t> actions;
    std::vector<std::uint64_t> sizes;
    std::vector<std::uint64_t> stacks;      ///< Stack of each element: index of a pair of `suffixes`, or k_nothing
    std::vector<std::uint64_t> categories;  ///< Category of each element: index into `category_names`, or k_nothing
    std::vector<std::uint64_t> initial;
    std::vector<std::uint64_t> suffixes;  ///< Pairs of an index into `texts` and the index of the rest of the stack
    std::vector<std::string> texts;
    std::vector<std::string> category_names;
};

/// JSON handler that stores values in the list of their key.
class PlotHandler {
public:
    const PlotLists& lists() const { return lists_; }

    void null() {
        if (depth_ > 1) take(k_nothing);
    }
    void boolean(bool /*value*/) { fail("holds true or false where a number was expected"); }
    void whole(std::uint64_t value) { take(value); }
    void negative(std::int64_t /*value*/) { fail("holds a negative number where none was expected"); }
    void real(double /*value*/) { fail("holds a fraction where a whole number was expected"); }
    void string(std::string_view text) {
        if (texts_ == nullptr) return;
        texts_->emplace_back(text);
    }
    void key(std::string_view key) {
        if (depth_ != 1) return;
        const std::array numbers = {std::pair("actions", &lists_.actions),
                                    std::pair("elements_size", &lists_.sizes),
                                    std::pair("elements_info", &lists_.stacks),
                                    std::pair("elements_category", &lists_.categories),
                                    std::pair("initially_allocated", &lists_.initial),
                                    std::pair("suffix_table", &lists_.suffixes)};
        numbers_ = nullptr;
        texts_ = key == "string_table" ? &lists_.texts : key == "categories" ? &lists_.category_names : nullptr;
        for (const auto& [name, list] : numbers) {
            if (key == name) numbers_ = list;
        }
    }
    void begin_object() { ++depth_; }
    void end_object() { --depth_; }
    void begin_array() { ++depth_; }
    void end_array() { --depth_; }

private:
    void take(std::uint64_t value) {
        if (numbers_ == nullptr) return;
        if (numbers_->size() >= limits::k_json_values) fail("holds more values in one place than any real page");
        numbers_->push_back(value);
    }

    PlotLists lists_;
    int depth_ = 0;
    std::vector<std::uint64_t>* numbers_ = nullptr;
    std::vector<std::string>* texts_ = nullptr;
};

/// Builds allocations and events from the lists.
class PlotBuilder {
public:
    explicit PlotBuilder(const PlotLists& lists) : lists_(lists), live_(lists.sizes.size(), k_not_live) {}

    std::unique_ptr<Snapshot> run() {
        snapshot_->streams.push_back(0);
        DeviceTrace& trace = snapshot_->devices.emplace_back();
        trace.allocations_are_given = true;
        for (const std::uint64_t element : lists_.initial) {
            if (is_live(element)) fail("names an element twice among those that are there from the beginning");
            begin(element, Origin::standing);
        }
        trace.initial_count = static_cast<std::uint32_t>(trace.allocations.size());
        for (std::size_t i = 0; i < lists_.actions.size(); ++i) {
            if (i % k_stop_steps == 0) check_stop();
            take_action(lists_.actions[i]);
        }
        return std::move(snapshot_);
    }

private:
    static constexpr std::uint32_t k_not_live = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::size_t k_stop_steps = 4096;

    /// Adds the event of an action. The first action of an element allocates it, unless it existed from the beginning; the
    /// next action frees it.
    void take_action(std::uint64_t element) {
        DeviceTrace& trace = snapshot_->devices.front();
        AllocationColumns& allocations = trace.allocations;
        const EventId event{static_cast<std::uint32_t>(trace.events.size())};
        const bool is_free = is_live(element);
        if (!is_free) begin(element, Origin::alloc);
        const AllocationId id{live_[element]};
        trace.events.push({.action = is_free ? Action::free_completed : Action::alloc,
                           .size_bytes = allocations.size_bytes[id.value],
                           .stack = is_free ? StackId::none() : allocations.stack[id.value],
                           .metadata = category_of(element)});
        trace.actions.push_back(id);
        if (!is_free) {
            allocations.alloc_event[id.value] = event;
            return;
        }
        allocations.free_event[id.value] = event;
        allocations.state[id.value] = AllocationState::freed;
        if (allocations.origin[id.value] == Origin::standing) allocations.origin[id.value] = Origin::freed;
        live_[element] = k_not_live;
    }

    bool is_live(std::uint64_t element) const {
        if (element >= live_.size()) fail("names an element that is not in its list of sizes");
        return live_[element] != k_not_live;
    }

    void begin(std::uint64_t element, Origin origin) {
        AllocationColumns& allocations = snapshot_->devices.front().allocations;
        if (allocations.size() >= limits::k_allocations) fail("holds more elements than can be numbered");
        if (lists_.sizes[element] > static_cast<std::uint64_t>(limits::k_profiled_block_bytes))
            fail("holds an element larger than any device");
        live_[element] = static_cast<std::uint32_t>(allocations.size());
        allocations.push({.size_bytes = lists_.sizes[element], .origin = origin, .stack = stack_of_element(element)});
    }

    StackId stack_of_element(std::uint64_t element) {
        if (element >= lists_.stacks.size() || lists_.stacks[element] == k_nothing) return StackId::none();
        return stack_of(lists_.stacks[element]);
    }

    /// Interns the stack with the index `place`. A stack consists of a text and the index of the rest of the stack, which
    /// comes earlier.
    StackId stack_of(std::uint64_t place) {
        const std::size_t count = lists_.suffixes.size() / 2;
        if (known_stacks_.empty()) known_stacks_.assign(count, StackId::none());
        if (place >= count) fail("refers to a stack that it does not hold");
        StackId& known = known_stacks_[place];
        if (known.is_some()) return known;
        frames_.clear();
        for (std::uint64_t at = place; at != k_nothing;) {
            const std::uint64_t text = lists_.suffixes[2 * at];
            const std::uint64_t rest = lists_.suffixes[2 * at + 1];
            if (text >= lists_.texts.size() || (rest != k_nothing && rest >= at)) fail("holds a stack that leads nowhere");
            frames_.push_back(frame_of(text));
            at = rest;
        }
        check_stop();
        return known = snapshot_->stacks.intern_stack(frames_);
    }

    FrameId frame_of(std::uint64_t text) {
        if (known_frames_.empty()) known_frames_.assign(lists_.texts.size(), FrameId::none());
        FrameId& known = known_frames_[text];
        if (!known.is_some()) known = snapshot_->stacks.intern_frame(parse_frame(lists_.texts[text], snapshot_->strings));
        return known;
    }

    /// Returns the category of an element, or none(). Only pages of profile_plot have categories.
    MetadataId category_of(std::uint64_t element) {
        const std::vector<std::string>& names = lists_.category_names;
        if (element >= lists_.categories.size() || lists_.categories[element] >= names.size()) return MetadataId::none();
        if (categories_.empty()) categories_.assign(names.size(), MetadataId::none());
        MetadataId& known = categories_[lists_.categories[element]];
        if (known.is_some()) return known;
        known = MetadataId{static_cast<std::uint32_t>(snapshot_->metadata.size())};
        EventMetadata metadata;
        metadata.category = snapshot_->strings.intern(names[lists_.categories[element]]);
        snapshot_->metadata.push_back(metadata);
        return known;
    }

    const PlotLists& lists_;
    std::unique_ptr<Snapshot> snapshot_ = std::make_unique<Snapshot>();
    std::vector<std::uint32_t> live_;  ///< Allocation of each element, or k_not_live
    std::vector<StackId> known_stacks_;
    std::vector<FrameId> known_frames_;
    std::vector<FrameId> frames_;
    std::vector<MetadataId> categories_;
};

}  // namespace

bool looks_like_plot_page(std::string_view front) { return front.find(k_data_name) != front.npos; }

std::unique_ptr<Snapshot> read_plot_page(ByteSource& page) {
    PlotData data(page);
    PlotHandler handler;
    JsonScanner scanner(data, handler);
    scanner.run();
    if (handler.lists().sizes.empty()) fail("is an HTML page of PyTorch's viewer that holds no allocations");
    return PlotBuilder(handler.lists()).run();
}

}  // namespace snapviewer
