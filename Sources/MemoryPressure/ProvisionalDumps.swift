// SPDX-License-Identifier: Apache-2.0

import CEpitaph

/// Where the dumps of a process that may be killed soon are taken, as a seam.
public protocol MemoryDumping: Sendable {
    /// Takes the provisional dump, in place of the one there was.
    ///
    /// - Parameters:
    ///   - includesAllThreads: false for the calling one alone.
    ///   - words: how memory stands; the dump has them as a message and as an annotation.
    /// - Returns: whether there is one now.
    func take(includesAllThreads: Bool, words: String) -> Bool

    /// Throws it away, if there is one.
    func discard()
}

/// Provisional dumps of this process, epitaph_live_dumps.h.
public struct ProvisionalDumps: MemoryDumping {
    /// The annotation that dumps and crash reports have while memory is scarce.
    public static let annotation = "memory_warning"

    /// Those of this process. Epitaph has to be started.
    public init() {}

    public func take(includesAllThreads: Bool, words: String) -> Bool {
        _ = epitaph_annotation_set(Self.annotation, words)
        return words.withCString { message in
            "memory".withCString { source in
                var request = epitaph_live_request()
                request.size_bytes = UInt32(MemoryLayout<epitaph_live_request>.size)
                request.kind = EPITAPH_REPORT_MEMORY_WARNING
                request.threads =
                    includesAllThreads ? EPITAPH_LIVE_THREADS_ALL : EPITAPH_LIVE_THREADS_SUBJECT
                request.message = message
                request.message_source = source
                return epitaph_provisional_dump_take(&request, nil) == EPITAPH_OK
            }
        }
    }

    public func discard() {
        _ = epitaph_annotation_remove(Self.annotation)
        epitaph_provisional_dump_discard()
    }
}
