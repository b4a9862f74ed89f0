#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "core/timeline/timeline.h"
#include "core/trace/snapshot.h"

/// Whether a file contains everything that happened on a device. The interface shows this first, because missing events make
/// all other numbers lower bounds.
namespace snapviewer {

enum class RecordingState : std::uint8_t {
    complete,          ///< the recording contains every allocation
    starts_mid_run,    ///< memory was in use when the recording began
    ring_buffer_full,  ///< newer events replaced the oldest ones
    cut_off,           ///< the file breaks off
    no_history,        ///< contains only the state at the end: no events, or the single event of a ring buffer of size one
    unknown,           ///< unknown for this kind of file: a profiler's file, or polygons without events
};
const char* recording_state_name(RecordingState state);   ///< identifier for JSON and SQL, such as "ring_buffer_full"
const char* recording_state_words(RecordingState state);  ///< words for the user, such as "ring buffer full"

enum class StackKinds : std::uint8_t { none, python, cpp, python_and_cpp };
const char* stack_kinds_words(StackKinds kinds);

/// Facts about the recording of one device.
struct RecordingFacts {
    RecordingState state = RecordingState::complete;
    std::uint64_t events = 0;
    std::optional<double> seconds;               ///< seconds from the first event to the last; nullopt if they have no times
    std::optional<std::uint64_t> ring_capacity;  ///< capacity of the ring buffer in events (max_entries); nullopt if the
                                                 ///< file lacks it
    std::optional<std::uint64_t> cut_at;         ///< offset at which the file breaks off
    std::uint64_t peak_bytes = 0;                ///< peak of the device, see known_peak()
    bool peak_is_lower_bound = false;            ///< true if the real peak may be higher, see known_peak()
    std::uint64_t unplaced_bytes = 0;  ///< bytes in use at the end that were allocated at an unknown time: Origin::unplaced
    /// The bytes of the peak that were allocated before the first event; nullopt if the file does not show that, or was cut
    /// off.
    std::optional<std::uint64_t> peak_bytes_from_before;
    bool was_recording_before = false;  ///< true if some of these bytes have a stack, so that the recording lost their
                                        ///< events
    StackKinds stacks = StackKinds::none;
    std::uint64_t allocs_without_stack = 0;  ///< number of alloc events without a stack
    /// PYTORCH_CUDA_ALLOC_CONF of the run, "" for the defaults; nullopt if the file does not have it.
    std::optional<std::string> allocator_settings;
    std::string next_time;  ///< the Python call that would have recorded the rest; empty if nothing is missing
};

/// True if the file breaks off before the end of the device's data, so that real totals may be larger. O(import log).
bool is_cut_off(const Timeline& timeline);

/// The name of a device: "device 0", "device 0, host (pinned)" or "device 1 (rank 9)".
std::string device_name(const DeviceTrace& trace);

/// The largest amount of memory in use at one moment, as far as the file shows it.
struct KnownPeak {
    std::uint64_t bytes = 0;  ///< for a device without allocations: the highest value of the file's curves of allocated
                              ///< memory
    /// True if more memory may have been in use: the file is cut off, has no history, has nothing at the peak but memory
    /// from before its first event, or records no allocated memory at all.
    bool is_lower_bound = false;
    bool is_at_end = false;  ///< true for a complete file whose peak is the state at its end; such a value should not be
                             ///< called a peak
};

/// The peak of a device, and how exactly it is known. O(import log); for a device without allocations O(points of its
/// curves).
KnownPeak known_peak(const Timeline& timeline);

/// True if the peak is the state at the end of a file that was cut off, so that no recorded event reached it.
bool is_peak_behind_cut(const Timeline& timeline);

/// The peak as text: "22.7 GiB", or "at least 22.7 GiB" for a lower bound.
std::string peak_text(const Timeline& timeline);

/// The peak as text with a label: "peak 22.7 GiB", "peak at least 22.7 GiB" or "at the end 22.7 GiB".
std::string labelled_peak_text(const Timeline& timeline);

/// The word for the moment of the peak: "peak", or "end" if the peak is the state at the end of the recording.
const char* peak_moment_word(const Timeline& timeline);

/// A sentence about the place at which the file breaks off, for example "cut off at byte 335,985: the events after that are
/// missing, so peaks are at least what is shown". Empty if the file does not break off.
std::string cut_off_sentence(const Snapshot& snapshot);

/// Memory at the peak that was allocated before the first event.
struct FromBefore {
    std::uint64_t bytes = 0;
    std::uint64_t bytes_without_stack = 0;
};
/// True if an allocation was made before the recording began.
bool is_from_before(const AllocationColumns& allocations, AllocationId id);
FromBefore from_before_at_peak(const Timeline& timeline);

/// Computes all facts about the recording of a device. O(events + allocations + frames).
RecordingFacts recording_facts(const Timeline& timeline);

/// Describes a recording, for example "6,500 events over 12.3 s; 7.4 GiB (33 %) of the peak predates it; Python and C++
/// stacks; default allocator settings". Says "at least" if the file was cut off.
std::string recording_sentence(const RecordingFacts& facts);

/// The oom events after which the run continued: it later allocated a block of at least 1 MiB, or of the refused size if
/// that is smaller. Exception handlers mostly allocate less. O(events).
std::set<std::uint32_t> recovered_ooms(const EventColumns& events);

/// Reports in the import log what the recording of a device lacks: events that its ring buffer dropped, stacks, and reserved
/// memory (see find_reserved_known()). Also reports totals that exceed the device's capacity. Precondition: the device's
/// allocations are complete. O(events).
void report_recording(Snapshot& snapshot, DeviceTrace& trace);

/// The capacity of the recording's ring buffer in events (max_entries); nullopt if the file does not contain it.
std::optional<std::uint64_t> recorded_ring_capacity(const Snapshot& snapshot);

/// True if the file states that the ring buffer overflowed, for any device.
bool states_overflow(const Snapshot& snapshot);

/// True if a device's recording has as many events as the ring buffer holds, or if the file states that it overflowed.
bool is_ring_buffer_full(const Snapshot& snapshot, const DeviceTrace& trace);

/// True if report_recording() has reported that the ring buffer dropped the oldest events.
bool has_ring_overflowed(const Snapshot& snapshot);

/// Determines for which moments the file shows how much memory a device had reserved from the driver. Sets
/// DeviceTrace::reserved_known. Reports in the import log why reserved memory is known only at the end, or that no event
/// reserves or returns memory.
///
/// Reserved memory is known only at the end in these cases:
/// - A block lies in no segment when it is allocated, or its segment is freed before it.
/// - Segment events contradict the segments that the file lists.
/// - Segment events were skipped: there is none, although a segment was made while stacks were recorded and no event was
///   lost.
/// - The file is cut off before the end of its events.
///
/// Precondition: `trace` is one of the snapshot's devices and its allocations are complete. O(events + segment events log
/// segments).
void find_reserved_known(Snapshot& snapshot, DeviceTrace& trace);

}  // namespace snapviewer
