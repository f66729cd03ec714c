// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// Fetches files from symbol servers. `SymbolServers` chooses servers and judges answers.
package protocol SymbolClient: Sendable {
    /// Fetches one file from the server with this URL, or the cache. `goesOn` is called several
    /// times a second with the bytes received (nil until the server sends) and the size of the
    /// file, if the server states it; false ends the transfer.
    func fetch(
        _ request: SymbolRequest, from server: String,
        goesOn: @escaping @Sendable (_ received: Int?, _ total: Int?) -> Bool
    ) -> SymbolAnswer

    func discard(_ file: FetchedFile)

    /// Removes the cached miss of the last request: other servers were not asked.
    func forgetMiss()

    /// Why files are not kept where other programs find them; a sentence without a full stop.
    var noteOnCache: String? { get }
}

package enum SymbolAnswer: Sendable {
    case file(FetchedFile)
    case unknown
    case unknownToAll
    /// The server has it, but it is larger than the environment permits.
    case tooLarge
    case stopped
    /// This server does not answer; the reason is a clause.
    case failed(String)
    /// No server can be asked; the reason is a clause.
    case impossible(String)
}

package struct FetchedFile: Sendable {
    package let descriptor: FileDescriptor
    package let path: String
    /// False if the cache had it before.
    package let isNew: Bool

    package init(_ descriptor: FileDescriptor, path: String, isNew: Bool) {
        self.descriptor = descriptor
        self.path = path
        self.isNew = isNew
    }
}
