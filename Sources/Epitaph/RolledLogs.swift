// SPDX-License-Identifier: Apache-2.0

import HTTPTransport
import LinuxSystem
import LogUpload
import ReportUpload

extension LogUploader {
    /// An uploader of rolled logs that sends with libcurl. It has nothing to do with crashes, and
    /// asks nobody: whoever makes it wants the logs of `path` to leave the machine.
    ///
    /// - Parameters:
    ///   - path: of the directory; need not exist yet. A symbolic link is not followed.
    ///   - template: each log becomes the body of such a request; docs/logs.md.
    ///   - delegate: kept as long as the uploader.
    /// - Throws: when the process has no file descriptor left. libcurl is loaded for the first log;
    ///   the delegate hears when there is none.
    public convenience init(
        directory path: String, to template: RequestTemplate,
        options: LogUploadOptions = LogUploadOptions(),
        transport: TransportOptions = TransportOptions(),
        delegate: (any LogUploadDelegate & Sendable)? = nil
    ) throws(SystemError) {
        try self.init(
            directory: path, to: TemplateDestination(template), options: options,
            delegate: delegate
        ) { () throws(TransportError) in try CurlTransport(transport) }
    }
}
