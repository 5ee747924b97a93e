package dev.resilience.sample;

import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.IndexColorModel;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageTypeSpecifier;
import javax.imageio.ImageWriter;
import javax.imageio.metadata.IIOMetadata;
import javax.imageio.metadata.IIOMetadataNode;
import javax.imageio.stream.ImageOutputStream;

/** A recording made of pictures of one size: one palette for all, and of each picture only what has changed. */
final class AnimatedGif {

    /** The index of the colour that lets the picture before shine through. */
    private static final int TRANSPARENT = 255;

    private static final String FORMAT = "javax_imageio_gif_image_1.0";

    private final List<BufferedImage> pictures = new ArrayList<>();
    private final List<Integer> hundredths = new ArrayList<>();

    void add(byte[] png, int shownForHundredths) throws IOException {
        pictures.add(ImageIO.read(new ByteArrayInputStream(png)));
        hundredths.add(shownForHundredths);
    }

    byte[] toBytes() throws IOException {
        IndexColorModel palette = palette();
        Map<Integer, Integer> nearest = new HashMap<>();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ImageWriter writer = ImageIO.getImageWritersByFormatName("gif").next();
        try (ImageOutputStream output = ImageIO.createImageOutputStream(bytes)) {
            writer.setOutput(output);
            writer.prepareWriteSequence(null);
            int[] shown = new int[pictures.get(0).getWidth() * pictures.get(0).getHeight()];
            for (int i = 0; i < pictures.size(); i++) {
                BufferedImage changes = changes(pictures.get(i), i == 0, shown, palette, nearest);
                IIOMetadata metadata = metadata(writer, changes, hundredths.get(i));
                writer.writeToSequence(new IIOImage(changes, null, metadata), null);
            }
            writer.endWriteSequence();
        } finally {
            writer.dispose();
        }
        return bytes.toByteArray();
    }

    /** The 255 most frequent colours; of those that are nearly the same, only the most frequent one. */
    private IndexColorModel palette() {
        Map<Integer, Integer> counts = new HashMap<>();
        for (BufferedImage picture : pictures) {
            for (int rgb : pixels(picture)) {
                counts.merge(rgb & 0xFFFFFF, 1, Integer::sum);
            }
        }
        Set<Integer> groups = new HashSet<>();
        List<Integer> frequent = counts.entrySet().stream()
                .sorted(Map.Entry.<Integer, Integer>comparingByValue().reversed())
                .map(Map.Entry::getKey)
                .filter(rgb -> groups.add(rgb & 0xF8F8F8))
                .limit(TRANSPARENT)
                .toList();
        int[] colours = new int[256];
        for (int i = 0; i < frequent.size(); i++) {
            colours[i] = frequent.get(i);
        }
        return new IndexColorModel(8, 256, colours, 0, false, TRANSPARENT, DataBuffer.TYPE_BYTE);
    }

    private static BufferedImage changes(
            BufferedImage picture, boolean first, int[] shown, IndexColorModel palette, Map<Integer, Integer> nearest) {
        int[] pixels = pixels(picture);
        byte[] indices = new byte[pixels.length];
        for (int i = 0; i < pixels.length; i++) {
            int index = nearest.computeIfAbsent(pixels[i] & 0xFFFFFF, rgb -> nearest(rgb, palette));
            indices[i] = (byte) (!first && shown[i] == index ? TRANSPARENT : index);
            shown[i] = index;
        }
        BufferedImage changes =
                new BufferedImage(picture.getWidth(), picture.getHeight(), BufferedImage.TYPE_BYTE_INDEXED, palette);
        changes.getRaster().setDataElements(0, 0, picture.getWidth(), picture.getHeight(), indices);
        return changes;
    }

    private static int nearest(int rgb, IndexColorModel palette) {
        int best = 0;
        int least = Integer.MAX_VALUE;
        for (int i = 0; i < TRANSPARENT; i++) {
            int red = (rgb >> 16) - palette.getRed(i);
            int green = (rgb >> 8 & 255) - palette.getGreen(i);
            int blue = (rgb & 255) - palette.getBlue(i);
            int distance = red * red + green * green + blue * blue;
            if (distance < least) {
                least = distance;
                best = i;
            }
        }
        return best;
    }

    private static int[] pixels(BufferedImage picture) {
        return picture.getRGB(0, 0, picture.getWidth(), picture.getHeight(), null, 0, picture.getWidth());
    }

    /** How long the picture is shown, that the next one lies on it, and that the recording begins again at its end. */
    private static IIOMetadata metadata(ImageWriter writer, BufferedImage picture, int hundredths) throws IOException {
        IIOMetadata metadata = writer.getDefaultImageMetadata(new ImageTypeSpecifier(picture), null);
        IIOMetadataNode root = (IIOMetadataNode) metadata.getAsTree(FORMAT);
        IIOMetadataNode control = (IIOMetadataNode)
                root.getElementsByTagName("GraphicControlExtension").item(0);
        control.setAttribute("disposalMethod", "doNotDispose");
        control.setAttribute("userInputFlag", "FALSE");
        control.setAttribute("transparentColorFlag", "TRUE");
        control.setAttribute("transparentColorIndex", String.valueOf(TRANSPARENT));
        control.setAttribute("delayTime", String.valueOf(hundredths));
        IIOMetadataNode extensions = new IIOMetadataNode("ApplicationExtensions");
        IIOMetadataNode loop = new IIOMetadataNode("ApplicationExtension");
        loop.setAttribute("applicationID", "NETSCAPE");
        loop.setAttribute("authenticationCode", "2.0");
        loop.setUserObject(new byte[] {1, 0, 0});
        extensions.appendChild(loop);
        root.appendChild(extensions);
        metadata.setFromTree(FORMAT, root);
        return metadata;
    }
}
