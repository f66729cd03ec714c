// SPDX-License-Identifier: Apache-2.0

import EpitaphMinidump
import EpitaphSystem
import EpitaphValues

/// What a report says about its process. Empty for a broken minidump, which is sent anyway.
package struct ReportContents: Sendable, Equatable {
    package var annotations: [Annotation]
    package var messages: [CrashMessage]
    /// In the order noted.
    package var breadcrumbs: [Breadcrumb]

    package init(
        annotations: [Annotation] = [], messages: [CrashMessage] = [],
        breadcrumbs: [Breadcrumb] = []
    ) {
        self.annotations = annotations
        self.messages = messages
        self.breadcrumbs = breadcrumbs
    }

    package init(minidump file: FileDescriptor) {
        guard let bytes = try? FileBytes.contents(of: file),
            let minidump = try? MinidumpReader.read(bytes)
        else {
            self.init()
            return
        }
        self.init(
            annotations: minidump.snapshot.annotations, messages: minidump.snapshot.messages,
            breadcrumbs: minidump.snapshot.breadcrumbs)
    }
}
