// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Minidump
import Snapshot

/// What a report says of its process, as far as it can be read: nothing for a minidump that is
/// broken, which is sent all the same.
public struct ReportContents: Sendable, Equatable {
    /// Names and values that the program set, and Epitaph's own.
    public var annotations: [Annotation]
    /// Last words, most important first.
    public var messages: [CrashMessage]
    /// In the order noted.
    public var breadcrumbs: [Breadcrumb]

    /// What is given, and nothing else.
    public init(
        annotations: [Annotation] = [], messages: [CrashMessage] = [],
        breadcrumbs: [Breadcrumb] = []
    ) {
        self.annotations = annotations
        self.messages = messages
        self.breadcrumbs = breadcrumbs
    }

    /// Reads an open minidump, from its first byte on.
    public init(minidump file: FileDescriptor) {
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
