#pragma once

#include <optional>
#include <string>

#include "app/features/timeline/pictures.h"
#include "app/picture/studio.h"
#include "app/shell/application.h"
#include "tests/golden/document_picture.h"

namespace snapviewer::golden {

/// The program behind the window, drawing frames without one.
class WindowPicture : public DocumentPictureTest {
protected:
    void TearDown() override;
    /// Without a file. Skips with newer versions of ImGui, whose widgets nobody has compared with these pictures yet.
    void begin(int width_px, int height_px, const Look& look = {});
    /// Until nothing moves any more.
    void settle();
    void open_sample();
    void ask(Request request);
    void show(SidePage page);
    AppState& state() { return application_->state(); }
    /// One panel of the window, by the name it has for ImGui, so that a picture shows what its test is about and nothing
    /// else.
    testing::AssertionResult panel_matches(const char* panel, const std::string& name);

private:
    std::optional<Studio> studio_;
    std::unique_ptr<Application> application_;
};

}  // namespace snapviewer::golden
