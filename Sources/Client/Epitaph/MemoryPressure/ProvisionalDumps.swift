// SPDX-License-Identifier: Apache-2.0

import CEpitaph

package protocol MemoryDumping: Sendable {
    /// Takes a provisional dump, which replaces the previous one. Returns whether there is one now.
    ///
    /// - Parameters:
    ///   - includesAllThreads: false for the subject only.
    ///   - subject: the thread that it is about, gettid(2).
    ///   - words: the memory figures; the dump contains them as a message and as an annotation.
    func take(includesAllThreads: Bool, subject: Int32, words: String) -> Bool

    func discard()
}

package struct ProvisionalDumps: MemoryDumping {
    /// The annotation of dumps and crash reports that were made while memory was scarce.
    package static let annotation = "memory_warning"

    package init() {}

    package func take(includesAllThreads: Bool, subject: Int32, words: String) -> Bool {
        _ = epitaph_annotation_set(Self.annotation, words)
        return words.withCString { message in
            "memory".withCString { source in
                var request = epitaph_live_request()
                request.size_bytes = UInt32(MemoryLayout<epitaph_live_request>.size)
                request.kind = EPITAPH_REPORT_MEMORY_WARNING
                request.threads =
                    includesAllThreads ? EPITAPH_LIVE_THREADS_ALL : EPITAPH_LIVE_THREADS_SUBJECT
                request.subject_thread = subject
                request.message = message
                request.message_source = source
                return epitaph_provisional_dump_take(&request, nil) == EPITAPH_OK
            }
        }
    }

    package func discard() {
        _ = epitaph_annotation_remove(Self.annotation)
        epitaph_provisional_dump_discard()
    }
}
