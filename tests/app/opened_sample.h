#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "app/features/live/live.h"
#include "app/features/selection/selection.h"
#include "app/features/session.h"
#include "app/features/timeline/pictures.h"

namespace snapviewer::test {

/// The state of a window in which the sample is open, with the features that show it but without a window.
struct OpenedSample {
    OpenedSample() : session(Preferences{}), pictures(session, nullptr), live(session), selection(session, pictures) {
        Progress progress;
        auto document = open_document(std::filesystem::absolute(SAMPLE_FILE).string(), {}, progress);
        EXPECT_TRUE(document);
        session.document = *std::move(document);
        pictures.adopt();
    }

    Session session;
    Pictures pictures;
    live::LivePage live;
    selection::Selection selection;
};

/// Runs frames until the feature is idle.
inline void update_until_idle(Feature& feature) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    do {
        feature.update();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } while (feature.is_busy() && std::chrono::steady_clock::now() < deadline);
    EXPECT_FALSE(feature.is_busy());
    feature.update();
}

}  // namespace snapviewer::test
