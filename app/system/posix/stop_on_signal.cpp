#include "app/system/shutdown.h"

#include <array>
#include <csignal>

namespace snapviewer {
namespace {

constexpr std::array k_ending_signals = {SIGTERM, SIGINT, SIGHUP};
volatile std::sig_atomic_t g_is_stopped = 0;

void record_signal(int signal) {
    g_is_stopped = 1;
    std::signal(signal, SIG_DFL);
}

}  // namespace

StopOnSignal::StopOnSignal() {
    for (const int signal : k_ending_signals) std::signal(signal, record_signal);
}

StopOnSignal::~StopOnSignal() {
    for (const int signal : k_ending_signals) std::signal(signal, SIG_DFL);
}

bool StopOnSignal::was_requested() { return g_is_stopped != 0; }

}  // namespace snapviewer
