"""The pictures of a series, one after the other, and the animation of them."""

import sys
import time

from scene.picture import write_gif, write_png


class Progress:
    """One line on a terminal, which says how far a series is."""

    def __init__(self, total):
        self.total, self.start, self.shown = total, time.monotonic(), sys.stderr.isatty()

    def say(self, done):
        if self.shown:
            rate = done / max(time.monotonic() - self.start, 1e-9)
            print(f"\rpicture {done} of {self.total}, {rate:.2g} a second ", end="\n" if done == self.total else "", file=sys.stderr, flush=True)


def draw_frames(dumps, sheet, wanted, folder, arguments):
    """Each picture is written when it is drawn. An interrupt ends the series: what is there by then becomes the gif."""
    progress, images, done = Progress(len(dumps)), [], 0
    stopped = False
    try:
        for dump in dumps:
            image = sheet.picture(dump)
            if "png" in wanted:
                write_png(image, folder / f"{dump.name}.png", arguments.dpi)
            if "gif" in wanted:
                images.append(image)
            done += 1
            progress.say(done)
    except KeyboardInterrupt:
        stopped = True
    if "png" in wanted and done:
        print(f"pictures: {folder} ({done} png)")
    if len(images) > 1:
        write_gif(images, folder / f"{dumps.scene}.gif", arguments.rate)
        print(f"animation: {folder / dumps.scene}.gif")
    if stopped:
        raise KeyboardInterrupt(f"after {done} of {len(dumps)} pictures")
