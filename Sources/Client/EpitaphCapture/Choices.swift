// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames

// Settings that may change at run time. A crash sees each as it was before or after a change.
extension Epitaph {
    /// Whether crashes are captured; if not, they end the process as without Epitaph. False after
    /// `stop()`, and cannot be set to true then.
    public static var isCaptureEnabled: Bool {
        get { epitaph_is_enabled() != 0 }
        set { epitaph_set_enabled(newValue ? 1 : 0) }
    }

    /// Sets the message for reports of this process, for example from another runtime's panic hook.
    ///
    /// - Parameter text: cut to 4,096 bytes; nil removes the message.
    public static func setLastWords(_ text: String?) {
        epitaph_message_set(text)
    }

    /// Starts capturing crashes by a signal.
    ///
    /// - Throws: `Refusal` if the signal cannot be handled, is the one that stops threads, or is
    ///   ignored by the program.
    public static func startHandling(_ signal: Signal) throws(Epitaph.Refusal) {
        try setHandled(true, signal)
    }

    /// Stops handling a signal and restores its previous action.
    ///
    /// - Throws: `Refusal` for a signal that cannot be handled.
    public static func stopHandling(_ signal: Signal) throws(Epitaph.Refusal) {
        try setHandled(false, signal)
    }

    private static func setHandled(_ isHandled: Bool, _ signal: Signal) throws(Refusal) {
        switch epitaph_signal_set_handled(signal.rawValue, isHandled ? 1 : 0) {
        case EPITAPH_OK: return
        case EPITAPH_NOT_STARTED: throw .notStarted
        default:
            throw Refusal(
                .impossible, "\(signal) cannot be handled, or the program ignores it")
        }
    }

    /// Signals whose handlers of Epitaph have been replaced, by a way that it does not see or
    /// without virtual actions. Their crashes are lost unless the new handler passes them on.
    public static var displacedSignals: [Signal] {
        let bits = epitaph_handlers_displaced()
        return (1...64).filter { bits >> UInt64($0 - 1) & 1 != 0 }.map { Signal(rawValue: $0) }
    }

    /// Puts Epitaph's handlers back in front of those that displaced them, which are then called
    /// after the capture. Ignored signals stay ignored. Returns how many were displaced.
    @discardableResult
    public static func retakeDisplacedHandlers() -> Int {
        Int(epitaph_handlers_check(1))
    }
}
