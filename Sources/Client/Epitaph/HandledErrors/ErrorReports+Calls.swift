// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphValues

// Not inlined: frames of this module must be the innermost ones of a report.
extension ErrorReports {
    /// Reports an error and goes on.
    ///
    /// - Parameters:
    ///   - error: what went wrong. Its description is called shortly after, on another thread.
    ///   - properties: at most 64, of 255 bytes of name and 1,024 bytes of value.
    ///   - attachments: files and bytes for this report.
    ///   - capturesAllThreads: whether the report contains all threads, which are stopped for a few
    ///     milliseconds.
    ///   - fileID: the place of the call, which the report contains and errors are counted by. A
    ///     wrapper should pass on the place of its own caller.
    ///   - line: see `fileID`.
    /// - Returns: the id that the report will have; nil if this error gets no report of its own.
    @inline(never)
    @discardableResult
    public func trackError(
        _ error: any Error, properties: [String: String] = [:],
        attachments: [Epitaph.ErrorAttachment] = [], capturesAllThreads: Bool = false,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Epitaph.ID? {
        take(
            .error(error), properties: properties, attachments: attachments,
            capturesAllThreads: capturesAllThreads,
            place: ErrorPlace(fileID, line), completion: nil)
    }

    /// Reports an exception of another runtime and goes on.
    ///
    /// - Returns: the id that the report will have; nil if this error gets no report of its own.
    @inline(never)
    @discardableResult
    public func trackException(
        _ exception: Epitaph.ExceptionModel, properties: [String: String] = [:],
        attachments: [Epitaph.ErrorAttachment] = [], capturesAllThreads: Bool = false,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Epitaph.ID? {
        take(
            .exception(exception), properties: properties, attachments: attachments,
            capturesAllThreads: capturesAllThreads,
            place: ErrorPlace(fileID, line), completion: nil)
    }

    /// Reports that something happened, in the program's own words, and goes on.
    ///
    /// - Returns: the id that the report will have; nil if this message gets no report of its own.
    @inline(never)
    @discardableResult
    public func trackMessage(
        _ message: String, properties: [String: String] = [:],
        attachments: [Epitaph.ErrorAttachment] = [], capturesAllThreads: Bool = false,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Epitaph.ID? {
        take(
            .message(message), properties: properties, attachments: attachments,
            capturesAllThreads: capturesAllThreads,
            place: ErrorPlace(fileID, line), completion: nil)
    }

    /// Reports an error; `completion` receives the result.
    @inline(never)
    public func send(
        error: any Error, properties: [String: String] = [:],
        attachments: [Epitaph.ErrorAttachment] = [], capturesAllThreads: Bool = false,
        fileID: StaticString = #fileID, line: UInt = #line,
        completion: @escaping Epitaph.HandledErrorCompletion
    ) {
        take(
            .error(error), properties: properties, attachments: attachments,
            capturesAllThreads: capturesAllThreads,
            place: ErrorPlace(fileID, line), completion: completion)
    }

    /// Reports that something happened; `completion` receives the result.
    @inline(never)
    public func send(
        message: String, properties: [String: String] = [:],
        attachments: [Epitaph.ErrorAttachment] = [], capturesAllThreads: Bool = false,
        fileID: StaticString = #fileID, line: UInt = #line,
        completion: @escaping Epitaph.HandledErrorCompletion
    ) {
        take(
            .message(message), properties: properties, attachments: attachments,
            capturesAllThreads: capturesAllThreads,
            place: ErrorPlace(fileID, line), completion: completion)
    }

    /// Makes a report of files and of the caller's stack; `completion` receives the result.
    @inline(never)
    public func send(
        attachmentPaths: [String], properties: [String: String] = [:],
        fileID: StaticString = #fileID, line: UInt = #line,
        completion: @escaping Epitaph.HandledErrorCompletion
    ) {
        take(
            .attachments, properties: properties,
            attachments: attachmentPaths.map { .file(AttachedFile($0)) },
            capturesAllThreads: false, place: ErrorPlace(fileID, line), completion: completion)
    }
}

// For tasks. The stack is copied before the task is suspended, and no thread is blocked. The report
// contains the functions that await the caller, as far as their contexts could be read.
extension ErrorReports {
    /// Reports an error and waits for the result.
    @inline(never)
    public nonisolated(nonsending) func send(
        error: any Error, properties: [String: String] = [:],
        attachments: [Epitaph.ErrorAttachment] = [], capturesAllThreads: Bool = false,
        fileID: StaticString = #fileID, line: UInt = #line
    ) async throws(Epitaph.Refusal) -> Epitaph.HandledErrorOutcome {
        try await withCheckedContinuation { continuation in
            send(
                error: error, properties: properties, attachments: attachments,
                capturesAllThreads: capturesAllThreads, fileID: fileID, line: line
            ) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Reports that something happened, and waits for the result.
    @inline(never)
    public nonisolated(nonsending) func send(
        message: String, properties: [String: String] = [:],
        attachments: [Epitaph.ErrorAttachment] = [], capturesAllThreads: Bool = false,
        fileID: StaticString = #fileID, line: UInt = #line
    ) async throws(Epitaph.Refusal) -> Epitaph.HandledErrorOutcome {
        try await withCheckedContinuation { continuation in
            send(
                message: message, properties: properties, attachments: attachments,
                capturesAllThreads: capturesAllThreads, fileID: fileID, line: line
            ) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Makes a report of files, and waits for the result.
    @inline(never)
    public nonisolated(nonsending) func send(
        attachmentPaths: [String], properties: [String: String] = [:],
        fileID: StaticString = #fileID, line: UInt = #line
    ) async throws(Epitaph.Refusal) -> Epitaph.HandledErrorOutcome {
        try await withCheckedContinuation { continuation in
            send(
                attachmentPaths: attachmentPaths, properties: properties, fileID: fileID,
                line: line
            ) {
                continuation.resume(returning: $0)
            }
        }.get()
    }
}
