// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

// Users write `Epitaph.CrashFrame`; our own code writes the short name.
package typealias CrashFrame = Epitaph.CrashFrame
package typealias CrashLoop = Epitaph.CrashLoop
package typealias CrashLoopPolicy = Epitaph.CrashLoopPolicy
package typealias CrashSummary = Epitaph.CrashSummary
package typealias Delivery = Epitaph.Delivery
package typealias EarlierBreadcrumbs = Epitaph.EarlierBreadcrumbs
package typealias EarlierCrashes = Epitaph.EarlierCrashes
package typealias EarlierLaunch = Epitaph.EarlierLaunch
package typealias ErrorAttachment = Epitaph.ErrorAttachment
package typealias ErrorReports = Epitaph.ErrorReports
package typealias ExceptionModel = Epitaph.ExceptionModel
package typealias HandledError = Epitaph.HandledError
package typealias HandledErrorNotice = Epitaph.HandledErrorNotice
package typealias HandledErrorOptions = Epitaph.HandledErrorOptions
package typealias HandledErrorOutcome = Epitaph.HandledErrorOutcome
package typealias HangDetection = Epitaph.HangDetection
package typealias HangEvent = Epitaph.HangEvent
package typealias HangOptions = Epitaph.HangOptions
package typealias Heartbeat = Epitaph.Heartbeat
package typealias LastSession = Epitaph.LastSession
package typealias MemoryEvent = Epitaph.MemoryEvent
package typealias MemoryMode = Epitaph.MemoryMode
package typealias MemoryOptions = Epitaph.MemoryOptions
package typealias MemoryReading = Epitaph.MemoryReading
package typealias MemoryWatch = Epitaph.MemoryWatch
package typealias PressureJudge = Epitaph.PressureJudge
package typealias QueueWatch = Epitaph.QueueWatch
package typealias RecentHandledError = Epitaph.RecentHandledError
package typealias StacksWhenFiled = Epitaph.StacksWhenFiled
package typealias UploadOptions = Epitaph.UploadOptions
package typealias UploadOutcome = Epitaph.UploadOutcome
package typealias Uploads = Epitaph.Uploads
package typealias HandledErrorCompletion = Epitaph.HandledErrorCompletion
package typealias HandledErrorObserver = Epitaph.HandledErrorObserver
